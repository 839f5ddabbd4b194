-- Replaces the samples of a partition ({partition}) by hours: one row per resource, metric and hour. `value` is the mean, `max` the highest
-- value, `sum` the total, `samples` their number; rows that are hours already count as often as they have samples. Written to the table
-- {target} in the columns of metric_sample. Read by the retention sweep.
INSERT INTO {target:Identifier} (org_id, resource_uid, metric, ts, value, max, sum, samples, cloud_account_id, x_Version)
SELECT
    s.org_id,
    s.resource_uid,
    s.metric,
    toDateTime64(toStartOfHour(s.ts), 3, 'UTC') + toIntervalMillisecond(1) AS hour_of,
    sum(s.value * greatest(s.samples, 1)) / sum(greatest(s.samples, 1)) AS mean,
    max(ifNull(s.max, s.value)) AS highest,
    sum(ifNull(s.sum, s.value)) AS total,
    toUInt32(sum(greatest(s.samples, 1))) AS number,
    any(s.cloud_account_id),
    max(s.x_Version)
FROM metric_sample AS s FINAL
WHERE s._partition_id = {partition:String}
GROUP BY s.org_id, s.resource_uid, s.metric, hour_of
