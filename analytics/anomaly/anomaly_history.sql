-- What each of some dimensions cost on each of {days} that has rows, and before credits: {dim_types} and {dim_keys} name them, all five
-- types as anomaly_candidates has them. {from} and {to} are the first and the last of the days.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost; the other parameters are those of the view cost_slice.
WITH wanted AS
(
    SELECT w.1 AS of_type, w.2 AS of_key
    FROM (SELECT arrayJoin(arrayZip({dim_types:Array(String)}, {dim_keys:Array(String)})) AS w)
)
SELECT type, key, groupArray(toString(day)) AS days, groupArray(toFloat64(cost)) AS costs, groupArray(toFloat64(cost - credit)) AS charges
FROM
(
    SELECT type, key, day, sum(cost) AS cost, sum(credit) AS credit
    FROM
    (
        -- Few rows a day once resources are summed up: these three come from one read.
        SELECT dim.1 AS type, dim.2 AS key, day, sum(part) AS cost, sum(credited) AS credit
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
            WHERE lines > 0 AND day IN {days:Array(Date32)}
            GROUP BY day, cloud_account_id, team_id
        )
        WHERE dim IN (wanted)
        GROUP BY type, key, day
        UNION ALL
        SELECT 'resource' AS type, resource_uid AS key, day, sum({cost:Identifier}) AS cost,
            sumIf({cost:Identifier}, charge_category = 'Credit') AS credit
        FROM cost_slice(/*without team_id*/
            org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
            providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
            types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
            scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
            tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
        WHERE lines > 0 AND day IN {days:Array(Date32)} AND ('resource', resource_uid) IN (wanted)
        GROUP BY resource_uid, day
        UNION ALL
        SELECT 'resource_group' AS type, key_of AS key, day, sum(part) AS cost, sum(credited) AS credit
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
            WHERE lines > 0 AND day IN {days:Array(Date32)}
        )
        WHERE ('resource_group', key_of) IN (wanted)
        GROUP BY key, day
        /*if divided*/
        UNION ALL
        SELECT 'resource' AS type, owner_uids[2] AS key, day, sum({cost:Identifier}) AS cost,
            sumIf({cost:Identifier}, charge_category = 'Credit') AS credit
        FROM cost_slice(/*without team_id*/
            org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
            providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
            types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
            scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
            tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
        WHERE lines > 0 AND day IN {days:Array(Date32)} AND notEmpty(owner_uids) AND ('resource', owner_uids[2]) IN (wanted)
        GROUP BY key, day
        /*end*/
    )
    GROUP BY type, key, day
)
GROUP BY type, key
ORDER BY type, key
