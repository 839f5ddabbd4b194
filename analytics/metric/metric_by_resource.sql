-- Utilization of resources by metric: one row per resource and metric, for the first {top} resources by UID, or those of {uids}.
-- Percentages have two decimals; the 95th percentile is exact and interpolated. `total` is the sum of all samples, for metrics that are
-- bytes. The other parameters are those of the view metric_slice. Read by GET /reports/resources/metrics.
WITH chosen AS
(
    SELECT DISTINCT resource_uid
    FROM metric_sample
    WHERE org_id = {org:String} AND ts >= {since:DateTime64(3, 'UTC')} AND ts < {until:DateTime64(3, 'UTC')}
        AND (empty({uids:Array(String)}) OR resource_uid IN {uids:Array(String)})
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
    ORDER BY resource_uid
    LIMIT {top:UInt32}
)
SELECT
    resource_uid,
    metric,
    round(avg(value), 2) AS avg_percent,
    round(quantileExactInclusive(0.95)(value), 2) AS p95_percent,
    round(max(coalesce(sample.max, value)), 2) AS max_percent,
    sum(value) AS total,
    count() AS samples
FROM metric_slice(
    org = {org:String}, since = {since:DateTime64(3, 'UTC')}, until = {until:DateTime64(3, 'UTC')},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)}) AS sample
WHERE metric IN ('cpu_percent', 'memory_percent', 'network_in_bytes', 'network_out_bytes', 'network_bytes_in', 'network_bytes_out')
    AND resource_uid IN (chosen)
GROUP BY resource_uid, metric
ORDER BY resource_uid, metric
