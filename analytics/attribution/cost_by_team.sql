-- Costs and savings of each team in US dollars, highest cost first, and its number of resources: one row per team, `unassigned` for costs
-- without a team, including costs without a resource. `shared_usd` is the part of the cost that rules distributed. Resources count that
-- were in the inventory at any time of the range or had a bill line. A resource counts for every team of its lines, shared costs aside;
-- without lines, for its current team. {cost} is billed_cost, effective_cost, contracted_cost or list_cost; the other parameters are those
-- of the view cost_slice. Read by GET /reports/teams and its export.
-- Marks: plain.
/*if no plain*/
SELECT
    share.1 AS team_id,
    sum(share.2) AS cost_usd,
    sum(share.5) AS shared_usd,
    countIf(resource_uid != '' AND (share.4 > 0 OR share.3 = 0)) AS resources
FROM
(
    SELECT resource_uid,
        arrayJoin(if(max(own) > 0, groupArrayIf((team_id, spent, n, own, handed), n > 0), groupArray((team_id, spent, n, own, handed)))) AS share
    FROM
    (
        SELECT team_id, cloud_account_id, resource_uid, sum({cost:Identifier}) AS spent, sum(lines) AS n,
            sumIf(lines, place = 0) AS own, sumIf({cost:Identifier}, place > 0) AS handed
        FROM cost_slice(/*without by_resource*/
            org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
            providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
            types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
            scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
            tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
        WHERE lines > 0
        GROUP BY team_id, cloud_account_id, resource_uid
        UNION ALL
        SELECT team_id, cloud_account_id, resource_uid, toDecimal128(0, 14) AS spent, toUInt64(0) AS n, toUInt64(0) AS own,
            toDecimal128(0, 14) AS handed
        FROM present_resources(
            org = {org:String}, from = {from:Date32}, to = {to:Date32},
            providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
            types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
            scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
            tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    )
    GROUP BY cloud_account_id, resource_uid
)
GROUP BY team_id
HAVING sum(share.3) > 0
ORDER BY cost_usd DESC, team_id
/*else SELECT team_id, sum({cost:Identifier}) AS cost_usd, toDecimal128(0, 14) AS shared_usd, countIf(resource_uid != '') AS resources
FROM resource_sums(
    org = {org:String}, from = {from:Date32}, to = {to:Date32},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)})
GROUP BY team_id
HAVING sum(lines) > 0
ORDER BY cost_usd DESC, team_id end*/
