-- Daily charges of what budgets are for from {from} to {to}, both included, as a forecast needs them: one row per scope (see scope_costs)
-- and kind of charge, with its days and their costs in US dollars, by position. Charges are by charge category; what is charged on at most
-- three days of a month is separate, with its service (see forecast_charges.sql). {ids} are ids of scopes, an empty list means all;
-- {dim_tags} are the keys of tags that are scopes. {cost} is billed_cost, effective_cost, contracted_cost or list_cost. Read by GET
-- /budgets/:budgetID/forecast.
SELECT scope, id, category, seldom, service_name, stream, groupArray(day) AS days, groupArray(toString(cost)) AS costs
FROM
(
    SELECT
        scope,
        id,
        category,
        toUInt8(rare AND cost_of_day != 0) AS seldom,
        if(seldom, of.1, '') AS service_name,
        if(seldom, toString(cityHash64(of)), '') AS stream,
        toString(on_day) AS day,
        sum(cost_of_day) AS cost
    FROM
    (
        SELECT scope, id, on_day, category, of, cost_of_day,
            countIf(cost_of_day != 0) OVER (PARTITION BY scope, id, category, of)
                <= 3 * uniqExactIf(toYYYYMM(on_day), cost_of_day != 0) OVER (PARTITION BY scope, id, category, of) AS rare
        FROM
        (
            SELECT scope, id, day AS on_day, charge_category AS category, (service_name, resource_type, purchase_type) AS of,
                sum({cost:Identifier}) AS cost_of_day
            FROM scope_costs(
                org = {org:String}, from = {from:Date32}, to = {to:Date32}, ids = {ids:Array(String)}, dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},
                service_names = {service_names:Array(String)}, service_titles = {service_titles:Array(String)})
            GROUP BY scope, id, on_day, category, of
        )
    )
    GROUP BY scope, id, category, seldom, service_name, stream, day
)
GROUP BY scope, id, category, seldom, service_name, stream
ORDER BY scope, id, category, seldom, service_name, stream
