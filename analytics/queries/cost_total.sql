-- What an organization spent from one day to another, both included: US dollars, to the cent.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost. An empty list means all.
SELECT round(sum({cost:Identifier}), 2) AS cost_usd
FROM cost_service_daily_slot
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    AND edition IN
    (
        SELECT edition FROM cost_day FINAL
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    )
    AND (empty({providers:Array(String)}) OR provider IN {providers:Array(String)})
    AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})
    AND (empty({regions:Array(String)}) OR region IN {regions:Array(String)})
    AND (empty({types:Array(String)}) OR resource_type IN {types:Array(String)})
    AND (empty({teams:Array(String)}) OR has({teams:Array(String)}, 'unassigned'))
