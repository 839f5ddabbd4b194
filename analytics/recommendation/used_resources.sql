-- What the cost by {cost} of the resources {uids} of an account is made of, over the 30 days before {today}: one row a (resource,
-- component). `on_demand_usd` is the part of it at pay-as-you-go prices, `covered_list_usd` the list cost of what a commitment covered.
SELECT
    resource_uid,
    component,
    toFloat64(sum({cost:Identifier})) AS usd,
    sum(u.hours) AS hours,
    toFloat64(sumIf({cost:Identifier}, charge_category = 'Usage' AND pricing_category = 'Standard')) AS on_demand_usd,
    toFloat64(sumIf(list_cost, charge_category = 'Usage' AND pricing_category = 'Committed' AND commitment_status != 'Unused')) AS covered_list_usd
FROM usage_daily_slot AS u
WHERE org_id = {org:String} AND cloud_account_id = {account:String} AND resource_uid IN {uids:Array(String)}
    AND day BETWEEN {today:Date32} - 30 AND {today:Date32} - 1
    AND edition IN
    (
        SELECT edition FROM cost_day FINAL
        WHERE org_id = {org:String} AND cloud_account_id = {account:String} AND day BETWEEN {today:Date32} - 30 AND {today:Date32} - 1
    )
GROUP BY resource_uid, component
ORDER BY resource_uid, component
