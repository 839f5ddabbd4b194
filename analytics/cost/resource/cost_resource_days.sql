-- A page of resource-days and their total number: one row per day, account and resource, and one per day and account for costs without a
-- resource, in US dollars. {sort} is cost_usd, savings_usd, date or name, ascending if {asc} is 1. {cost} is billed_cost, effective_cost,
-- contracted_cost or list_cost; the other parameters are those of the view cost_slice. Read by GET /reports/cost-history.
WITH charged AS
(
    SELECT day, cloud_account_id, resource_uid, sum({cost:Identifier}) AS cost_usd, sum({saved:Identifier}) AS savings_usd
    FROM cost_slice(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    GROUP BY day, cloud_account_id, resource_uid
),
named AS
(
    SELECT resource_uid, name
    FROM resource_state FINAL
    WHERE org_id = {org:String} AND {sort:String} = 'name'
)
SELECT day, cloud_account_id, resource_uid, cost_usd, savings_usd, count() OVER () AS total
FROM charged
LEFT ANY JOIN named ON named.resource_uid = charged.resource_uid
ORDER BY
    if({sort:String} = 'cost_usd', if({asc:UInt8}, cost_usd, -cost_usd), toDecimal128(0, 14)),
    if({sort:String} = 'savings_usd', if({asc:UInt8}, savings_usd, -savings_usd), toDecimal128(0, 14)),
    if({sort:String} = 'date', if({asc:UInt8}, toInt32(day), -toInt32(day)), 0),
    if({sort:String} = 'name' AND {asc:UInt8}, if(name = '', resource_uid, name), ''),
    if({sort:String} = 'name' AND NOT {asc:UInt8}, if(name = '', resource_uid, name), '') DESC,
    day, cloud_account_id, resource_uid
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
