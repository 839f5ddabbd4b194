-- Parts of the table {table} in months before {before} (YYYYMM), oldest month first. Read by the retention sweep.
SELECT partition_id AS month, name, rows
FROM system.parts
WHERE active AND rows > 0 AND database = currentDatabase() AND table = {table:String} AND partition_id < {before:String}
ORDER BY month, name
