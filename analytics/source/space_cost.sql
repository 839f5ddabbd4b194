-- What a space cost over a range of days, exactly: an account in a region, or one resource of it where {uid} is given (a cluster).
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost; days are included at both ends.
SELECT toString(sum({cost:Identifier})) AS cost_usd
FROM cost_slice(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = '',
    providers = [], accounts = {accounts:Array(String)}, regions = {regions:Array(String)}, types = [], teams = [],
    scoped = 0, scope_accounts = [], scope_teams = [], tag_keys = [], tag_values = [])
WHERE {uid:String} = '' OR resource_uid = {uid:String}
