-- Costs and savings of an organization with each provider, in US dollars: one row per provider. {cost} is billed_cost, effective_cost,
-- contracted_cost or list_cost; the other parameters are those of the view cost_slice. Read by GET /reports/providers/summary.
SELECT if(c.provider IN ('', 'aws', 'gcp', 'azure'), c.provider, 'other') AS provider, sum({cost:Identifier}) AS cost_usd, sum({saved:Identifier}) AS savings_usd
FROM cost_slice(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)}) AS c
GROUP BY provider
ORDER BY provider
