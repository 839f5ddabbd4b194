-- Text columns of tables that may be rewritten: one row per column, without columns in sort or partition keys.
SELECT table, name AS column, startsWith(type, 'Map') AS isMap FROM system.columns
WHERE database = currentDatabase() AND table IN {tables:Array(String)} AND is_in_sorting_key = 0 AND is_in_partition_key = 0
  AND (type IN ('String', 'LowCardinality(String)', 'Nullable(String)') OR match(type, '^Map\(.*, String\)$'))
ORDER BY table, position
