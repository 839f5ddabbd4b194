-- Costs of the resources {uids} of an account by {cost} in the 30 days before {today}, in US dollars: one row per resource and component.
-- `on_demand_usd` is the part at pay-as-you-go prices, `covered_usd` what covered usage would have cost without commitments. Read by the
-- sweep of recommendations.
SELECT
    resource_uid,
    component,
    toFloat64(sum({cost:Identifier})) AS usd,
    sum(u.hours) AS hours,
    toFloat64(sumIf({cost:Identifier}, part = 'on_demand')) AS on_demand_usd,
    toFloat64(sumIf(on_demand_equivalent, part = 'used')) AS covered_usd
FROM commitment_use(org = {org:String}, from = {today:Date32} - 30, to = {today:Date32} - 1) AS u
WHERE cloud_account_id = {account:String} AND resource_uid IN {uids:Array(String)}
GROUP BY resource_uid, component
ORDER BY resource_uid, component
