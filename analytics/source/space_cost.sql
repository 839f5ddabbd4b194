-- Exact cost of a space in US dollars over a range of days, both included: one row for an account in a region, or for its resources {uids}
-- if given (a cluster and what is in it). {cost} is billed_cost, effective_cost, contracted_cost or list_cost. Read by the analysis of
-- sources.
SELECT toString(sum({cost:Identifier})) AS cost_usd
FROM cost_slice(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = '',
    providers = [], accounts = {accounts:Array(String)}, regions = {regions:Array(String)}, types = [], teams = [],
    scoped = 0, scope_accounts = [], scope_teams = [], tag_keys = [], tag_values = [])
WHERE empty({uids:Array(String)}) OR has({uids:Array(String)}, resource_uid)
