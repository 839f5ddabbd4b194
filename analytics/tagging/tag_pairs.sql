-- A page of the tags of what was charged or existed in the range, most expensive first, and their total number: one row per key, value and
-- source. `prev_usd` is the cost of the same tag from {prev_from} to {prev_to}, in US dollars. {cost} is billed_cost, effective_cost,
-- contracted_cost or list_cost; the other parameters are those of the view cost_slice. Read by GET /reports/tags/trends and its export.
SELECT
    pair.1 AS tag_key,
    pair.2 AS tag_value,
    pair.3 AS tag_source,
    sum(cost) AS cost_usd,
    sum(savings) AS savings_usd,
    uniqExactIf((cloud_account_id, resource_uid), is_now AND resource_uid != '') AS resources,
    sum(prev) AS prev_usd,
    count() OVER () AS total
FROM
(
    SELECT cloud_account_id, resource_uid, arrayZip(mapKeys(tags), mapValues(tags), arrayMap(k -> sources[k], mapKeys(tags))) AS pairs,
        {cost:Identifier} AS cost, {saved:Identifier} AS savings, toDecimal128(0, 14) AS prev, 1 AS is_now
    FROM tag_costs(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    UNION ALL
    SELECT cloud_account_id, resource_uid, arrayZip(mapKeys(tags), mapValues(tags), arrayMap(k -> sources[k], mapKeys(tags))) AS pairs,
        toDecimal128(0, 14) AS cost, toDecimal128(0, 14) AS savings, {cost:Identifier} AS prev, 0 AS is_now
    FROM tag_costs(
        org = {org:String}, from = {prev_from:Date32}, to = {prev_to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
)
ARRAY JOIN pairs AS pair
GROUP BY tag_key, tag_value, tag_source
HAVING max(is_now) = 1
ORDER BY cost_usd DESC, tag_key, tag_value, tag_source
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
