-- Daily charges of teams and resource groups from {from} to {to}, both included, as a forecast needs them: one row per team or group and
-- kind of charge, with its days and their costs in US dollars, by position. Charges are by charge category; what is charged on at most
-- three days of a month is separate, with its service (see forecast_charges.sql). Costs belong to teams and groups as in budget_spend.sql.
-- {ids} are teams and groups, an empty list means all. {cost} is billed_cost, effective_cost, contracted_cost or list_cost. Read by GET
-- /budgets/:budgetID/forecast.
-- Marks: divided, served, service_names.
SELECT scope, id, category, seldom, service_name, stream, groupArray(day) AS days, groupArray(toString(cost)) AS costs
FROM
(
    SELECT
        whose.1 AS scope,
        whose.2 AS id,
        category,
        toUInt8(rare AND cost_of_day != 0) AS seldom,
        if(seldom, of.1, '') AS service_name,
        if(seldom, toString(cityHash64(of)), '') AS stream,
        toString(on_day) AS day,
        sum(cost_of_day) AS cost
    FROM
    (
        SELECT whose, on_day, category, of, cost_of_day,
            countIf(cost_of_day != 0) OVER (PARTITION BY whose, category, of)
                <= 3 * uniqExactIf(toYYYYMM(on_day), cost_of_day != 0) OVER (PARTITION BY whose, category, of) AS rare
        FROM
        (
            SELECT on_day, category, of, sum(s.cost) AS cost_of_day,
                arrayJoin(arrayFilter(w -> w.2 NOT IN ('', 'unassigned') AND (empty({ids:Array(String)}) OR w.2 IN {ids:Array(String)}),
                    arrayConcat([('team', s.team_id)], arrayMap(g -> ('resource_group', g), /*if divided*/arrayDistinct(arrayConcat(m.groups, worker.groups, space.groups))/*else m.groups end*/)))) AS whose
            FROM
            (
                SELECT day AS on_day, resource_uid, /*if divided*/owner_uids,/*end*/ team_id, charge_category AS category,
                    (/*if served and service_names*/transform(toString(service_name), {service_names:Array(String)}, {service_titles:Array(String)}, toString(service_name))/*else service_name end*/,
                        resource_type, purchase_type) AS of, sum({cost:Identifier}) AS cost
                FROM cost_slice(
                    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = '',
                    providers = [], accounts = [], regions = [], types = [], teams = [],
                    scoped = 0, scope_accounts = [], scope_teams = [], tag_keys = [], tag_values = [])
                WHERE lines > 0
                GROUP BY on_day, resource_uid, /*if divided*/owner_uids,/*end*/ team_id, category, of
            ) AS s
            LEFT ANY JOIN grouped_resources(org = {org:String}, with_deleted = 1) AS m ON m.resource_uid = s.resource_uid
            /*if divided*/
            LEFT ANY JOIN grouped_resources(org = {org:String}, with_deleted = 1) AS worker ON worker.resource_uid = s.owner_uids[1]
            LEFT ANY JOIN grouped_resources(org = {org:String}, with_deleted = 1) AS space ON space.resource_uid = s.owner_uids[2]
            /*end*/
            GROUP BY on_day, category, of, whose
        )
    )
    GROUP BY scope, id, category, seldom, service_name, stream, day
)
GROUP BY scope, id, category, seldom, service_name, stream
ORDER BY scope, id, category, seldom, service_name, stream
