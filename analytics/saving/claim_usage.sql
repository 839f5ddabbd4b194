-- Costs of the resources {uids} by {cost} from {from} to {to}, in any account: one row per account and resource, with lists that
-- correspond to `days` by position, in order. `run_hours` are hours of running, `hourly_usd` their cost, `other_usd` all other costs, in
-- US dollars. Read by the measurement of savings.
SELECT
    cloud_account_id,
    resource_uid,
    groupArray(toString(day)) AS days,
    groupArray(toString(run_hours)) AS run_hours,
    groupArray(toString(hourly_usd)) AS hourly_usd,
    groupArray(toString(other_usd)) AS other_usd
FROM
(
    SELECT
        cloud_account_id,
        resource_uid,
        day,
        toDecimal128(round(sumIf(u.hours, runs), 9), 14) AS run_hours,
        sumIf({cost:Identifier}, runs) AS hourly_usd,
        sumIf({cost:Identifier}, NOT runs) AS other_usd
    FROM
    (
        SELECT *, component = 'compute' AND hours > 0 AND charge_category = 'Usage' AS runs
        FROM usage_daily_slot
        WHERE org_id = {org:String} AND resource_uid IN {uids:Array(String)} AND day BETWEEN {from:Date32} AND {to:Date32}
            AND edition IN (SELECT edition FROM cost_day FINAL WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32})
    ) AS u
    GROUP BY cloud_account_id, resource_uid, day
    ORDER BY day
)
GROUP BY cloud_account_id, resource_uid
ORDER BY cloud_account_id, resource_uid
