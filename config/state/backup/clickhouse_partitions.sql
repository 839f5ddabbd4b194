-- Partitions of all tables with rows, as they are stored now. The state changes whenever a part does.
SELECT
    p.table AS table,
    p.partition_id AS partition,
    any(t.sorting_key) AS sorting_key,
    sum(p.rows) AS rows,
    sum(p.data_uncompressed_bytes) AS bytes,
    lower(hex(sipHash128(arraySort(groupArray((p.name, p.hash_of_all_files)))))) AS state
FROM system.parts AS p
INNER JOIN system.tables AS t ON t.database = p.database AND t.name = p.table
WHERE p.database = currentDatabase() AND p.active AND p.table != 'schema_migration'
GROUP BY p.table, p.partition_id
-- The table installation first: a restore that is interrupted is then noticed by every start.
ORDER BY p.table != 'installation', p.table, p.partition_id
