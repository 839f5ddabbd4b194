-- What teams and resource groups spent, by day (by_day 1) or in all (0, day is then empty): the whole cost of what belongs to
-- them now, but that closed months keep the team their resources had then. A resource counts in every group it is in, in
-- whatever account it stands; a cost of a cluster in those of the workload and the namespace that used it, and of its machine. An empty {ids} means all of them; {cost} is one of billed_cost, effective_cost, contracted_cost,
-- list_cost. Days are included at both ends; teams and groups without cost are left out.
SELECT whose.1 AS scope, whose.2 AS id, if({by_day:UInt8} = 1, toString(on_day), '') AS day, toString(sum(cost)) AS cost_usd
FROM
(
    SELECT on_day, cost, arrayJoin(arrayConcat([('team', team_id)], arrayMap(g -> ('resource_group', g), /*if divided*/arrayDistinct(arrayConcat(m.groups, worker.groups, space.groups))/*else m.groups end*/))) AS whose
    FROM
    (
        SELECT day AS on_day, resource_uid, /*if divided*/owner_uids,/*end*/ team_id, sum({cost:Identifier}) AS cost
        FROM cost_slice(
            org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = '',
            providers = [], accounts = [], regions = [], types = [], teams = [],
            scoped = 0, scope_accounts = [], scope_teams = [], tag_keys = [], tag_values = [])
        GROUP BY on_day, resource_uid, /*if divided*/owner_uids,/*end*/ team_id
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
)
WHERE id NOT IN ('', 'unassigned') AND (empty({ids:Array(String)}) OR id IN {ids:Array(String)})
GROUP BY scope, id, day
ORDER BY scope, id, day
