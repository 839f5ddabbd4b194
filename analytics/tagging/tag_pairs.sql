-- A page of tags (key, value, where it is from) of the resources that cost something or were there in the range, dearest first,
-- and how many there are. `prev_usd` is their cost from {prev_from} to {prev_to}.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost; the other parameters are those of the view cost_slice.
SELECT
    tag_key,
    tag_value,
    tag_source,
    sum(r.cost) AS cost_usd,
    sum(r.savings) AS savings_usd,
    count() AS resources,
    sum(before.cost) AS prev_usd,
    count() OVER () AS total
FROM
(
    SELECT cloud_account_id, resource_uid, {cost:Identifier} AS cost, {saved:Identifier} AS savings
    FROM resource_costs(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
) AS r
INNER JOIN resource_tags(org = {org:String}) AS tag
    ON tag.cloud_account_id = r.cloud_account_id AND tag.resource_uid = r.resource_uid
LEFT ANY JOIN
(
    SELECT cloud_account_id, resource_uid, sum({cost:Identifier}) AS cost
    FROM cost_slice(
        org = {org:String}, from = {prev_from:Date32}, to = {prev_to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    WHERE resource_uid != ''
    GROUP BY cloud_account_id, resource_uid
) AS before ON before.cloud_account_id = r.cloud_account_id AND before.resource_uid = r.resource_uid
GROUP BY tag_key, tag_value, tag_source
ORDER BY cost_usd DESC, tag_key, tag_value, tag_source
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
