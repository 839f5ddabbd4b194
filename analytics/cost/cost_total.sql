-- What an organization spent and saved from one day to another, both included: US dollars, exact; and whether its lines are
-- actual ones or estimates.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost; the other parameters are those of the view cost_slice.
SELECT
    sum({cost:Identifier}) AS cost_usd,
    sum({saved:Identifier}) AS savings_usd,
    sum(lines) AS all_lines,
    sum(estimated_lines) AS estimates
FROM cost_slice(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
