-- Partitions of a table that have rows before {before}: one row per partition, with the number of such rows. `whole` is 1 if the partition
-- is one of months or years that have ended by then: all its rows are older. Read by the retention sweep.
SELECT
    _partition_id AS id,
    count() AS old,
    toUInt8((length(id) = 4 OR length(id) = 6) AND match(id, '^[0-9]+$') AND id < substring(formatDateTime({before:DateTime('UTC')}, '%Y%m'), 1, length(id))) AS whole
FROM {table:Identifier}
WHERE {column:Identifier} < {before:DateTime('UTC')}
GROUP BY id
ORDER BY id
