-- Costs of some dimensions on {days}: one row per dimension that has any, with its days, their costs, and these before credits
-- (`charges`), by position, in US dollars. {dim_types} and {dim_keys} are the dimensions, as in the view dimension_costs. {from} and {to}
-- are the first and last of the days. {cost} is billed_cost, effective_cost, contracted_cost or list_cost; the other parameters are those
-- of the view cost_slice. Read by the anomaly job.
SELECT type, key, groupArray(toString(day)) AS days, groupArray(toFloat64(cost)) AS costs, groupArray(toFloat64(cost - credit)) AS charges
FROM
(
    SELECT type, key, day, sum(cost) AS cost, sum(credit) AS credit
    FROM dimension_costs(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
        cost = {cost:String}, days = {days:Array(Date32)}, dim_types = {dim_types:Array(String)}, dim_keys = {dim_keys:Array(String)})
    GROUP BY type, key, day
)
GROUP BY type, key
ORDER BY type, key
