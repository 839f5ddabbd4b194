-- Number of units by day (daily), ISO week (weekly) or month (monthly), and over the whole range (period ''): one row per period that has
-- values. The number of a period is the sum, avg, max or last of its values. Read by GET /reports/unit-economics.
SELECT
    multiIf(
        {granularity:String} = 'monthly', formatDateTime(ts, '%Y-%m'),
        {granularity:String} = 'weekly', formatDateTime(ts, '%G-W%V'),
        toString(toDate32(ts))
    ) AS period,
    multiIf(
        {aggregation:String} = 'sum', sum(value),
        {aggregation:String} = 'avg', avg(value),
        {aggregation:String} = 'max', max(value),
        argMax(value, ts)
    ) AS units
FROM unit_metric_value FINAL
WHERE org_id = {org:String} AND series_id = {series:String}
    AND ts >= toDateTime64({from:Date32}, 3, 'UTC') AND ts < toDateTime64({to:Date32} + 1, 3, 'UTC')
GROUP BY GROUPING SETS ((period), ())
HAVING count() > 0
ORDER BY period
