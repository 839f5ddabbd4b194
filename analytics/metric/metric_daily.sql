-- Utilization of one resource ({uid}) by UTC day: one row per day and metric that has samples. Mean, exact 95th percentile (interpolated)
-- and maximum, in per cent with two decimals; the maximum includes the highest value within a sample's interval, if known. `total` is the
-- sum of all samples, for metrics that are bytes. The other parameters are those of the view metric_slice. Read by GET
-- /reports/resources/metrics/daily.
SELECT
    toString(toDate(ts, 'UTC')) AS day,
    metric,
    round(avg(value), 2) AS avg_percent,
    round(quantileExactInclusive(0.95)(value), 2) AS p95_percent,
    round(max(coalesce(sample.max, value)), 2) AS max_percent,
    sum(value) AS total
FROM metric_slice(
    org = {org:String}, since = {since:DateTime64(3, 'UTC')}, until = {until:DateTime64(3, 'UTC')},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)}) AS sample
WHERE metric IN ('cpu_percent', 'memory_percent', 'disk_percent', 'network_in_bytes', 'network_out_bytes', 'network_bytes_in', 'network_bytes_out')
    AND resource_uid = {uid:String}
GROUP BY day, metric
ORDER BY day, metric
