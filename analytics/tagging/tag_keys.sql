-- Tag keys of what was charged or existed in the range: one row per key, with the number of resources that have it and the sum in US
-- dollars of all costs that have it, including costs without a resource. Sets of keys are added up first and separated by key afterwards:
-- resources are many, sets of keys few. A cluster resource may have several sets and counts once. {cost} is billed_cost, effective_cost,
-- contracted_cost or list_cost; the other parameters are those of the view cost_slice. Read by GET /reports/tags.
-- Marks: divided.
SELECT arrayJoin(keys) AS tag_key,
    /*if divided*/uniqExactArray(resources)/*else sum(resources) end*/ AS tagged,
    sum(cost) AS cost_usd
FROM
(
    SELECT mapKeys(tags) AS keys, sum({cost:Identifier}) AS cost,
        /*if divided*/groupUniqArrayIf((cloud_account_id, resource_uid), resource_uid != '')/*else countIf(resource_uid != '') end*/ AS resources
    FROM tag_costs(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    GROUP BY keys
)
GROUP BY tag_key
ORDER BY cost_usd DESC, tag_key
