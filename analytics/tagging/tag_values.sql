-- The values of the tag {key} with what the resources that carry them cost, dearest first.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost; the other parameters are those of the view cost_slice.
SELECT tag_value, sum({cost:Identifier}) AS cost_usd, count() AS resources
FROM resource_costs(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)}) AS r
INNER ANY JOIN
(
    SELECT cloud_account_id, resource_uid, tags[{key:String}] AS tag_value
    FROM effective_tags(org = {org:String})
    WHERE mapContains(tags, {key:String})
) AS tag ON tag.cloud_account_id = r.cloud_account_id AND tag.resource_uid = r.resource_uid
GROUP BY tag_value
ORDER BY cost_usd DESC, tag_value
