-- A page of resources with their cost, and how many there are: one row a resource, and one for what has none.
-- {sort} is cost_usd, savings_usd or name, upwards when {asc} is 1.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost. An empty list means all.
WITH charged AS
(
    SELECT resource_uid, sum({cost:Identifier}) AS cost_usd
    FROM cost_daily_slot
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
    GROUP BY resource_uid
),
named AS
(
    SELECT resource_uid, name
    FROM resource_state FINAL
    WHERE org_id = {org:String} AND {sort:String} = 'name'
)
SELECT resource_uid, cost_usd, count() OVER () AS total
FROM charged
LEFT ANY JOIN named ON named.resource_uid = charged.resource_uid
ORDER BY
    if({sort:String} = 'cost_usd', if({asc:UInt8}, cost_usd, -cost_usd), toDecimal128(0, 14)),
    if({sort:String} = 'name' AND {asc:UInt8}, if(name = '', resource_uid, name), ''),
    if({sort:String} = 'name' AND NOT {asc:UInt8}, if(name = '', resource_uid, name), '') DESC,
    resource_uid
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
