-- The dimensions of cost whose day {to} is {percent} per cent or more above the mean of the seven days before (those with rows, at
-- least {days_min} of them, {usd_min} dollars a day at least), of all five types at once; a namespace of a cluster is a resource.
-- A mean below {usd_min} is measured by that before credits, `charged`, and so are all bounds then. Of these days `credit_days` had
-- credits, the last of them `credited_until` (empty: none), and `charged_now` is {to} before credits.
-- `prior_*` are over the days from {from} on that have rows. {to} is the day in question, {from} 30 days before. `cloud_account_id` and `team_id` are those of a resource.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost; the other parameters are those of the view cost_slice.
SELECT
    found.type AS type,
    found.key AS key,
    actual,
    baseline_days,
    expected,
    charged,
    charged_now,
    credit_days,
    if(credit_days = 0, '', toString(last_credit)) AS credited_until,
    prior_days,
    prior_mean,
    prior_deviation,
    account AS cloud_account_id,
    if(own.team_id = '', 'unassigned', own.team_id) AS team_id
FROM
(
    SELECT
        type,
        key,
        toFloat64(sumIf(cost, day = {to:Date32})) AS actual,
        countIf(day < {to:Date32} AND day >= {to:Date32} - 7) AS baseline_days,
        toFloat64(sumIf(cost, day < {to:Date32} AND day >= {to:Date32} - 7)) / baseline_days AS expected,
        toFloat64(sumIf(cost - credit, day < {to:Date32} AND day >= {to:Date32} - 7)) / baseline_days AS charged,
        toFloat64(sumIf(cost - credit, day = {to:Date32})) AS charged_now,
        countIf(credit < 0 AND day < {to:Date32} AND day >= {to:Date32} - 7) AS credit_days,
        maxIf(day, credit < 0 AND day < {to:Date32}) AS last_credit,
        countIf(day < {to:Date32}) AS prior_days,
        avgIf(toFloat64(cost), day < {to:Date32}) AS prior_mean,
        if(prior_days > 1, stddevSampIf(toFloat64(cost), day < {to:Date32}), 0) AS prior_deviation,
        argMaxIf(of, cost, day = {to:Date32}) AS account
    FROM
    (
        -- Few rows a day once resources are summed up: these three come from one read.
        SELECT dim.1 AS type, dim.2 AS key, day, sum(part) AS cost, sum(credited) AS credit, '' AS of
        FROM
        (
            SELECT
                day, sum({cost:Identifier}) AS part, sumIf({cost:Identifier}, charge_category = 'Credit') AS credited,
                arrayJoin([('org', {org:String}), ('cloud_account', cloud_account_id), ('team', team_id)]) AS dim
            FROM cost_slice(
                org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
                providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
                types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
                scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
                tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
            WHERE lines > 0
            GROUP BY day, cloud_account_id, team_id
        )
        WHERE dim != ('team', 'unassigned')
        GROUP BY type, key, day
        UNION ALL
        SELECT 'resource' AS type, resource_uid AS key, day, sum({cost:Identifier}) AS cost,
            sumIf({cost:Identifier}, charge_category = 'Credit') AS credit, any(cloud_account_id) AS of
        FROM cost_slice(/*without team_id*/
            org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
            providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
            types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
            scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
            tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
        WHERE lines > 0 AND resource_uid != ''
        GROUP BY resource_uid, day
        UNION ALL
        SELECT 'resource_group' AS type, key_of AS key, day, sum(part) AS cost, sum(credited) AS credit, '' AS of
        FROM
        (
            SELECT day, {cost:Identifier} AS part, if(charge_category = 'Credit', part, 0) AS credited, arrayJoin(/*if divided*/arrayDistinct(arrayConcat(member.groups, worker.groups, space.groups))/*else member.groups end*/) AS key_of
            FROM cost_slice(/*without team_id*/
                org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
                providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
                types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
                scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
                tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)}) AS c
            LEFT ANY JOIN
            (
                SELECT resource_uid, groupArray(group_id) AS groups
                FROM resource_group_member FINAL
                WHERE org_id = {org:String} AND removed = 0 AND group_id IN
                    (SELECT group_id FROM resource_group_state FINAL WHERE org_id = {org:String} AND deleted = 0)
                GROUP BY resource_uid
            ) AS member ON member.resource_uid = c.resource_uid
            /*if divided*/
            LEFT ANY JOIN
            (
                SELECT resource_uid, groupArray(group_id) AS groups
                FROM resource_group_member FINAL
                WHERE org_id = {org:String} AND removed = 0 AND group_id IN
                    (SELECT group_id FROM resource_group_state FINAL WHERE org_id = {org:String} AND deleted = 0)
                GROUP BY resource_uid
            ) AS worker ON worker.resource_uid = c.owner_uids[1]
            LEFT ANY JOIN
            (
                SELECT resource_uid, groupArray(group_id) AS groups
                FROM resource_group_member FINAL
                WHERE org_id = {org:String} AND removed = 0 AND group_id IN
                    (SELECT group_id FROM resource_group_state FINAL WHERE org_id = {org:String} AND deleted = 0)
                GROUP BY resource_uid
            ) AS space ON space.resource_uid = c.owner_uids[2]
            /*end*/
            WHERE lines > 0
        )
        GROUP BY key, day
        /*if divided*/
        UNION ALL
        SELECT 'resource' AS type, owner_uids[2] AS key, day, sum({cost:Identifier}) AS cost,
            sumIf({cost:Identifier}, charge_category = 'Credit') AS credit, any(cloud_account_id) AS of
        FROM cost_slice(/*without team_id*/
            org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
            providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
            types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
            scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
            tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
        WHERE lines > 0 AND notEmpty(owner_uids)
        GROUP BY key, day
        /*end*/
    )
    GROUP BY type, key
    HAVING baseline_days >= {days_min:UInt8} AND (if(expected >= {usd_min:Float64} - 1e-9, expected, charged) AS scale) >= {usd_min:Float64} - 1e-9
        AND 100 * (actual - expected) / scale >= {percent:Float64} - 1e-9
) AS found
LEFT ANY JOIN resource_teams(org = {org:String}) AS own ON own.resource_uid = found.key AND found.type = 'resource'
ORDER BY type, key
