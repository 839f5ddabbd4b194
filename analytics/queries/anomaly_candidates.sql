-- The dimensions of cost whose day {to} is {percent} per cent or more above the mean of the seven days before (those with rows, at
-- least {days_min} of them, {usd_min} dollars a day at least), of all five types at once. `prior_*` are over the days from {from}
-- on that have rows. {to} is the day in question, {from} 30 days before.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost; the other parameters are those of the view cost_slice.
SELECT
    dim.1 AS type,
    dim.2 AS key,
    toFloat64(sumIf(cost, day = {to:Date32})) AS actual,
    countIf(day < {to:Date32} AND day >= {to:Date32} - 7) AS baseline_days,
    toFloat64(sumIf(cost, day < {to:Date32} AND day >= {to:Date32} - 7)) / baseline_days AS expected,
    countIf(day < {to:Date32}) AS prior_days,
    avgIf(toFloat64(cost), day < {to:Date32}) AS prior_mean,
    if(prior_days > 1, stddevSampIf(toFloat64(cost), day < {to:Date32}), 0) AS prior_deviation,
    argMaxIf(account, cost, day = {to:Date32}) AS cloud_account_id,
    argMaxIf(team, cost, day = {to:Date32}) AS team_id
FROM
(
    SELECT dim, day, sum(cost) AS cost, any(cloud_account_id) AS account, any(team_id) AS team
    FROM
    (
        SELECT
            day, cloud_account_id, team_id, {cost:Identifier} AS cost,
            arrayJoin(arrayConcat(
                [('org', {org:String}), ('cloud_account', cloud_account_id)],
                if(resource_uid = '', [], [('resource', resource_uid)]),
                if(team_id = 'unassigned', [], [('team', team_id)]),
                arrayMap(g -> ('resource_group', g), member.groups)
            )) AS dim
        FROM cost_slice(
            org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
            providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
            types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
            scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
            tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)}) AS c
        LEFT ANY JOIN (
        SELECT resource_uid, groupArray(group_id) AS groups
        FROM resource_group_member FINAL
        WHERE org_id = {org:String} AND removed = 0
            AND group_id IN (SELECT group_id FROM resource_group_state FINAL WHERE org_id = {org:String} AND deleted = 0)
        GROUP BY resource_uid
    ) AS member ON member.resource_uid = c.resource_uid
        WHERE lines > 0
    )
    GROUP BY dim, day
)
GROUP BY dim
HAVING baseline_days >= {days_min:UInt8} AND expected >= {usd_min:Float64} - 1e-9
    AND 100 * (actual - expected) / expected >= {percent:Float64} - 1e-9
ORDER BY type, key
