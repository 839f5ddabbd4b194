-- Months of cost_daily_slot before {before} (202601 is January 2026) that are in several parts, none of the last {hours} hours, of at most
-- {bytes} on disk: one row per month.
SELECT partition AS month, count() AS parts
FROM system.parts
WHERE database = currentDatabase() AND table = 'cost_daily_slot' AND active AND toUInt32OrZero(partition) < {before:UInt32}
GROUP BY month
HAVING parts > 1 AND sum(bytes_on_disk) <= {bytes:UInt64} AND max(modification_time) < now() - INTERVAL {hours:Int32} HOUR
ORDER BY month DESC
LIMIT {limit:UInt32}
