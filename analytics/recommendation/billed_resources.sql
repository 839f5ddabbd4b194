-- Costs of the resources {uids} of an account by {cost}, in US dollars, in the 30 days before {today} and on that day: one row per
-- resource. `days` are the days of the 30 with costs, `first_day` is the oldest of the last 90. Workloads of clusters have their part of
-- machines and disks (kubernetes_costs). Read by the sweep of recommendations and by allocation rules.
SELECT
    resource_uid,
    toUInt16(uniqExactIf(day, day >= {today:Date32} - 30 AND day < {today:Date32})) AS days,
    toString(min(day)) AS first_day,
    toFloat64(sumIf({cost:Identifier}, day >= {today:Date32} - 30 AND day < {today:Date32})) AS month_usd,
    toFloat64(sumIf({cost:Identifier}, day = {today:Date32})) AS today_usd,
    toUInt8(countIf(day = {today:Date32}) > 0) AS has_today
FROM
(
    SELECT day, resource_uid, {cost:Identifier}
    FROM cost_daily_slot
    WHERE org_id = {org:String} AND cloud_account_id = {account:String} AND resource_uid IN {uids:Array(String)}
        AND day BETWEEN {today:Date32} - 90 AND {today:Date32}
        AND edition IN
        (
            SELECT edition FROM cost_day FINAL
            WHERE org_id = {org:String} AND day BETWEEN {today:Date32} - 90 AND {today:Date32}
        )
    UNION ALL
    SELECT day, concat(cluster_uid, '/', namespace, '/', controller_kind, '/', controller) AS resource_uid, {cost:Identifier}
    FROM kubernetes_workload_slot
    WHERE org_id = {org:String} AND cloud_account_id = {account:String} AND controller != '' AND estimated = 0
        AND resource_uid IN {uids:Array(String)} AND day BETWEEN {today:Date32} - 90 AND {today:Date32}
        AND edition IN
        (
            SELECT edition FROM cost_day FINAL
            WHERE org_id = {org:String} AND day BETWEEN {today:Date32} - 90 AND {today:Date32}
        )
)
GROUP BY resource_uid
ORDER BY resource_uid
