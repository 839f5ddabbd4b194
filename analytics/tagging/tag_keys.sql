-- The tag keys of the resources that cost something or were there in the range: how many carry the key, and what those cost.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost; the other parameters are those of the view cost_slice.
-- What has the same keys is added up before it is told apart by key: resources are many, sets of keys few.
SELECT arrayJoin(keys) AS tag_key, sum(resources) AS tagged, sum(cost) AS cost_usd
FROM
(
    SELECT keys, count() AS resources, sum({cost:Identifier}) AS cost
    FROM resource_costs(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)}) AS r
    INNER ANY JOIN (SELECT cloud_account_id, resource_uid, mapKeys(tags) AS keys FROM effective_tags(org = {org:String})) AS tag
        ON tag.cloud_account_id = r.cloud_account_id AND tag.resource_uid = r.resource_uid
    GROUP BY keys
)
GROUP BY tag_key
ORDER BY cost_usd DESC, tag_key
