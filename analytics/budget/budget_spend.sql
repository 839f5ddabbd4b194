-- Spend of what budgets are for in US dollars: one row per scope that has costs (see scope_costs), and per day if {by_day} is 1 (otherwise
-- day is empty). {ids} are ids of scopes, an empty list means all; {dim_tags} are the keys of tags that are scopes; {from} and {to} are
-- included. {cost} is billed_cost, effective_cost, contracted_cost or list_cost. Read by the evaluation of budgets and GET
-- /budgets/summary.
SELECT scope, id, if({by_day:UInt8} = 1, toString(on_day), '') AS day, toString(sum(cost)) AS cost_usd
FROM
(
    SELECT scope, id, day AS on_day, {cost:Identifier} AS cost
    FROM scope_costs(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, ids = {ids:Array(String)}, dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},
        service_names = {service_names:Array(String)}, service_titles = {service_titles:Array(String)})
)
GROUP BY scope, id, day
ORDER BY scope, id, day
