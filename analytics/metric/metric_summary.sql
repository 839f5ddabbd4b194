-- Utilization of all resources: one row per metric, in per cent with two decimals: the mean, the exact 95th percentile (interpolated
-- between the two nearest samples) and the maximum of all samples. The parameters are those of the view metric_slice. Read by GET
-- /reports/metrics.
SELECT
    metric,
    round(avg(value), 2) AS avg_percent,
    round(quantileExactInclusive(0.95)(value), 2) AS p95_percent,
    round(max(coalesce(sample.max, value)), 2) AS max_percent,
    count() AS samples
FROM metric_slice(
    org = {org:String}, since = {since:DateTime64(3, 'UTC')}, until = {until:DateTime64(3, 'UTC')},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)}) AS sample
WHERE metric IN ('cpu_percent', 'memory_percent', 'disk_percent')
GROUP BY metric
ORDER BY metric
