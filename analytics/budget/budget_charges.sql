-- What each day from {from} to {to} teams and resource groups were charged, as forecasts are made from: by charge category, and what is
-- charged on at most three days of a month apart, with its service (see forecast_charges.sql). Costs belong to teams and groups as in
-- budget_spend.sql. One row for each kind of charge, with its days and what they cost, by place. {ids} are those of teams and groups;
-- an empty list means all. {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost.
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
            LEFT ANY JOIN
            (
                SELECT resource_uid, groupArray(group_id) AS groups
                FROM resource_group_member FINAL
                WHERE org_id = {org:String} AND removed = 0
                GROUP BY resource_uid
            ) AS m ON m.resource_uid = s.resource_uid
            /*if divided*/
            LEFT ANY JOIN
            (
                SELECT resource_uid, groupArray(group_id) AS groups
                FROM resource_group_member FINAL
                WHERE org_id = {org:String} AND removed = 0
                GROUP BY resource_uid
            ) AS worker ON worker.resource_uid = s.owner_uids[1]
            LEFT ANY JOIN
            (
                SELECT resource_uid, groupArray(group_id) AS groups
                FROM resource_group_member FINAL
                WHERE org_id = {org:String} AND removed = 0
                GROUP BY resource_uid
            ) AS space ON space.resource_uid = s.owner_uids[2]
            /*end*/
            GROUP BY on_day, category, of, whose
        )
    )
    GROUP BY scope, id, category, seldom, service_name, stream, day
)
GROUP BY scope, id, category, seldom, service_name, stream
ORDER BY scope, id, category, seldom, service_name, stream
