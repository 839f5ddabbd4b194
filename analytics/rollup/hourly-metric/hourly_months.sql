-- Months of utilization that ended before {month} (YYYYMM) and have samples that are not hours: one row per partition. Read by the retention
-- sweep.
SELECT DISTINCT _partition_id AS id
FROM metric_sample
WHERE samples = 0 AND _partition_id < {month:String}
ORDER BY id
