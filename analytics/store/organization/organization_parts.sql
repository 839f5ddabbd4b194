-- The partitions of the tables {tables}, as they are stored now. The state changes whenever a part does.
SELECT
    table,
    partition_id AS partition,
    toString(sum(cityHash64(name))) AS state
FROM system.parts
WHERE database = currentDatabase() AND active AND table IN {tables:Array(String)}
GROUP BY table, partition
