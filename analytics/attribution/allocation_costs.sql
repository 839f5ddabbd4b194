-- Cost of each resource from {from} to {to}, both included, in US dollars: one row per account and resource that has a cost. {cost} is
-- billed_cost, effective_cost, contracted_cost or list_cost. Read by the preview of an allocation rule.
SELECT cloud_account_id, resource_uid, sum({cost:Identifier}) AS cost_usd
FROM cost_daily_slot
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND resource_uid != ''
    AND edition IN (SELECT edition FROM cost_day FINAL WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32})
GROUP BY cloud_account_id, resource_uid
HAVING cost_usd != 0
