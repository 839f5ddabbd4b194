-- Costs of each resource in a range, in parts with their days: one row per account and resource, and one for costs without a resource, in
-- US dollars. Day 0 is {from}; a day has as many parts as its sums have dimensions. The reader adds them up, which takes a fifth of the
-- time. {cost} is billed_cost, effective_cost, contracted_cost or list_cost; the other parameters are those of the view cost_slice. Read
-- by the replays of allocation rules and tag policies (POST /what-if).
SELECT
    cloud_account_id,
    resource_uid,
    groupArray(toUInt16(dateDiff('day', {from:Date32}, day))) AS days,
    groupArray({cost:Identifier}) AS costs
FROM cost_slice(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
WHERE {cost:Identifier} != 0
GROUP BY cloud_account_id, resource_uid
