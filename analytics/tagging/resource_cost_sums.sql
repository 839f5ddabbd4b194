-- Cost of each resource in a range of days, in US dollars: one row per account and resource that has a cost. {cost} is billed_cost,
-- effective_cost, contracted_cost or list_cost; the other parameters are those of the view cost_slice. Read by the preview of a tag
-- policy.
SELECT cloud_account_id, resource_uid, sum({cost:Identifier}) AS cost_usd
FROM cost_slice(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
WHERE resource_uid != ''
GROUP BY cloud_account_id, resource_uid
HAVING cost_usd != 0
