-- Spend of teams and resource groups in US dollars: one row per team or group that has costs, and per day if {by_day} is 1 (otherwise day
-- is empty). Costs belong to the current team of a resource, in closed months to its team at that time. A resource counts in every group
-- that it is in, in any account; a cluster cost counts in the groups of its workload, its namespace and its machine. {ids} are teams and
-- groups, an empty list means all; {from} and {to} are included. {cost} is billed_cost, effective_cost, contracted_cost or list_cost. Read
-- by the evaluation of budgets and GET /budgets/summary.
-- Marks: divided.
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
    LEFT ANY JOIN grouped_resources(org = {org:String}, with_deleted = 1) AS m ON m.resource_uid = s.resource_uid
    /*if divided*/
    LEFT ANY JOIN grouped_resources(org = {org:String}, with_deleted = 1) AS worker ON worker.resource_uid = s.owner_uids[1]
    LEFT ANY JOIN grouped_resources(org = {org:String}, with_deleted = 1) AS space ON space.resource_uid = s.owner_uids[2]
    /*end*/
)
WHERE id NOT IN ('', 'unassigned') AND (empty({ids:Array(String)}) OR id IN {ids:Array(String)})
GROUP BY scope, id, day
ORDER BY scope, id, day
