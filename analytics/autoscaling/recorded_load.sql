-- Measured load of a target from {since} until before {until}: one row per minute that has a sample, in order of time; null for metrics
-- without one. Read by the replay of an autoscaler policy (POST /autoscaler-policies/what-if).
SELECT
    toUnixTimestamp(toStartOfMinute(s.ts + toIntervalSecond(intDiv(3600 * nth, greatest(s.samples, 1))))) * 1000 AS at_ms,
    avgOrNullIf(s.value, s.metric = 'cpu_percent') AS cpu_percent,
    argMaxOrNullIf(s.value, s.ts, s.metric != 'cpu_percent') AS units
FROM metric_sample AS s FINAL
ARRAY JOIN (range(greatest(s.samples, 1))) AS nth
WHERE s.org_id = {org:String} AND s.resource_uid = {uid:String} AND s.cloud_account_id = {account:String}
    AND s.metric IN ('cpu_percent', 'instance_count', 'instances', 'capacity', 'replicas')
    AND s.ts >= {since:DateTime64(3, 'UTC')} AND s.ts < {until:DateTime64(3, 'UTC')}
GROUP BY at_ms
ORDER BY at_ms
