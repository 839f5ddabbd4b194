-- Resources that were charged or existed in the range, with and without any tag, and the sum of all costs with a tag, in US dollars: one
-- row. {cost} is billed_cost, effective_cost, contracted_cost or list_cost; the other parameters are those of the view cost_slice. Read by
-- GET /reports/tags.
SELECT
    uniqExactIf((cloud_account_id, resource_uid), resource_uid != '' AND notEmpty(tags)) AS tagged,
    uniqExactIf((cloud_account_id, resource_uid), resource_uid != '') - tagged AS untagged,
    sumIf({cost:Identifier}, notEmpty(tags)) AS tagged_usd
FROM tag_costs(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
