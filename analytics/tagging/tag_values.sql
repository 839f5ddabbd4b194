-- Values of the tag {key} with the sum of their costs in US dollars, highest first, and their number of resources: one row per value.
-- {cost} is billed_cost, effective_cost, contracted_cost or list_cost; the other parameters are those of the view cost_slice. Read by GET
-- /reports/tags/:tagKey.
SELECT
    tags[if(is_azure AND NOT mapContains(tags, {key:String}), arrayLast(k -> lowerUTF8(k) = lowerUTF8({key:String}), mapKeys(tags)), {key:String})] AS tag_value,
    sum({cost:Identifier}) AS cost_usd,
    uniqExactIf((cloud_account_id, resource_uid), resource_uid != '') AS resources
FROM tag_costs(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
WHERE tag_value != ''
GROUP BY tag_value
ORDER BY cost_usd DESC, tag_value
