-- Utilization over all resources, by metric, in per cent to two decimals: the mean, the exact 95th percentile (interpolated
-- between the two nearest samples) and the highest of all samples from one moment to another, the latter excluded.
SELECT
    metric,
    round(avg(value), 2) AS avg_percent,
    round(quantileExactInclusive(0.95)(value), 2) AS p95_percent,
    round(max(coalesce(metric_sample.max, value)), 2) AS max_percent,
    count() AS samples
FROM metric_sample FINAL
WHERE org_id = {org:String} AND ts >= {since:DateTime64(3, 'UTC')} AND ts < {until:DateTime64(3, 'UTC')}
    AND metric IN ('cpu_percent', 'memory_percent', 'disk_percent')
    AND
        (
            empty({providers:Array(String)}) AND empty({regions:Array(String)}) AND empty({types:Array(String)})
            AND empty({teams:Array(String)}) AND {scoped:UInt8} = 0
            OR (cloud_account_id, resource_uid) IN
            (
                SELECT cloud_account_id, resource_uid
                FROM resource_slice(
                    org = {org:String}, providers = {providers:Array(String)}, accounts = {accounts:Array(String)},
                    regions = {regions:Array(String)}, types = {types:Array(String)}, teams = {teams:Array(String)},
                    scoped = {scoped:UInt8}, scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)})
            )
        )
        AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})
GROUP BY metric
ORDER BY metric
