-- The current rows of an organization in partitions of a table: how many, and a sum that differs if any value does. One row per partition
-- that has some.
SELECT
    _partition_id AS partition,
    toUInt32(count()) AS rows,
    toString(sum(cityHash64(tuple(*)))) AS digest
FROM {table:Identifier} FINAL
WHERE {column:Identifier} = {org:String} AND _partition_id IN {partitions:Array(String)}
GROUP BY partition
