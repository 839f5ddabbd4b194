-- Partitions of a table that have rows before {before}, the start of a day (YYYY-MM-DD): one row per partition, with the number of such
-- rows. `whole` is 1 if the partition is one of months or years that have ended by then: all its rows are older. A time is compared in its
-- own type: an index rounds it otherwise. Read by the retention sweep.
SELECT
    _partition_id AS id,
    count() AS old,
    toUInt8(length(id) IN (4, 6) AND match(id, '^[0-9]+$') AND id < substring(replaceAll({before:String}, '-', ''), 1, length(id))) AS whole
FROM {table:Identifier}
WHERE {column:Identifier} < CAST({before:String}, toTypeName({column:Identifier}))
GROUP BY id
ORDER BY id
