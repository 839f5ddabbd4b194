-- What a space cost over a range of days, exactly: an account in a region, or resources of it where {uids} are given (a cluster and what is in it).
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost; days are included at both ends.
SELECT toString(sum({cost:Identifier})) AS cost_usd
FROM cost_slice(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = '',
    providers = [], accounts = {accounts:Array(String)}, regions = {regions:Array(String)}, types = [], teams = [],
    scoped = 0, scope_accounts = [], scope_teams = [], tag_keys = [], tag_values = [])
WHERE empty({uids:Array(String)}) OR has({uids:Array(String)}, resource_uid)
