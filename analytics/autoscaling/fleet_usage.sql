-- Usage of a target from {since} until before {until}: one row with the 95th percentile of the hourly means of its CPU, exact and
-- interpolated, and its maximum number of units; null if not measured. Read by GET /autoscaler-policies/smart-defaults.
WITH hourly AS
(
    SELECT
        s.metric = 'cpu_percent' AS is_cpu,
        toStartOfHour(s.ts) AS hour_of,
        avg(s.value) AS mean,
        max(ifNull(s.max, s.value)) AS highest
    FROM metric_sample AS s FINAL
    WHERE s.org_id = {org:String} AND s.resource_uid = {uid:String} AND s.cloud_account_id = {account:String}
        AND s.metric IN ('cpu_percent', 'instance_count', 'instances', 'capacity', 'replicas')
        AND s.ts >= {since:DateTime64(3, 'UTC')} AND s.ts < {until:DateTime64(3, 'UTC')}
    GROUP BY is_cpu, hour_of
)
SELECT
    quantileExactInclusiveOrNullIf(0.95)(mean, is_cpu) AS p95_cpu_percent,
    maxOrNullIf(highest, NOT is_cpu) AS peak_units
FROM hourly
