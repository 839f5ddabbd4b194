-- Utilization of one resource by UTC day and metric: mean, exact 95th percentile (interpolated) and highest, where a sample says so within its interval, in per cent to two decimals;
-- `total` is the sum of all samples, which is what bytes are read by. Days and metrics without samples are left out.
SELECT
    toString(toDate(ts, 'UTC')) AS day,
    metric,
    round(avg(value), 2) AS avg_percent,
    round(quantileExactInclusive(0.95)(value), 2) AS p95_percent,
    round(max(coalesce(metric_sample.max, value)), 2) AS max_percent,
    sum(value) AS total
FROM metric_sample FINAL
WHERE org_id = {org:String} AND ts >= {since:DateTime64(3, 'UTC')} AND ts < {until:DateTime64(3, 'UTC')}
    AND metric IN ('cpu_percent', 'memory_percent', 'disk_percent', 'network_in_bytes', 'network_out_bytes', 'network_bytes_in', 'network_bytes_out')
    AND resource_uid = {uid:String}
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
GROUP BY day, metric
ORDER BY day, metric
