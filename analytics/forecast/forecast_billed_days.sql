-- Days from {from} to {to} for which each account has actual lines, not only estimates: one row per account. The parameters are those of
-- the view cost_slice. Read by forecasts.
SELECT cloud_account_id, arraySort(groupUniqArray(toString(day))) AS days
FROM cost_slice(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
WHERE lines > estimated_lines
GROUP BY cloud_account_id
ORDER BY cloud_account_id
