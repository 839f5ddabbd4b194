-- Resources that cost something or were there in the range, and what those cost: with a tag of any key, and without.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost; the other parameters are those of the view cost_slice.
SELECT
    countIf(notEmpty(t.resource_uid)) AS tagged,
    countIf(empty(t.resource_uid)) AS untagged,
    sumIf({cost:Identifier}, notEmpty(t.resource_uid)) AS tagged_usd,
    sumIf({cost:Identifier}, empty(t.resource_uid)) AS untagged_usd
FROM resource_costs(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)}) AS r
LEFT ANY JOIN (SELECT cloud_account_id, resource_uid FROM effective_tags(org = {org:String})) AS t
    ON t.cloud_account_id = r.cloud_account_id AND t.resource_uid = r.resource_uid
