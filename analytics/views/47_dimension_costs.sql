-- Daily costs of the dimensions in which anomalies are found: one row per type, key and day that has bill lines. type is org,
-- cloud_account, team, resource or resource_group; a namespace of a cluster is a resource. Costs without a team are in no team. `cost`,
-- and `credit`, the credits in it, are US dollars; `account` is the account of a resource, empty for other types.
-- {cost} is billed_cost, effective_cost, contracted_cost or list_cost. {days} keeps only these days, {dim_types} and {dim_keys}, by
-- position, only these dimensions; an empty list means all. The other parameters are those of cost_slice. Read by anomaly_candidates and
-- anomaly_history.
-- Marks: days, dim_types, divided.
CREATE OR REPLACE VIEW dimension_costs AS
-- Few rows per day once resources are added up: these three types come from one read.
SELECT dim.1 AS type, dim.2 AS key, day, sum(part) AS cost, sum(credited) AS credit, '' AS account
FROM
(
    SELECT
        day, sum(multiIf(
            {cost:String} = 'billed_cost', billed_cost,
            {cost:String} = 'effective_cost', effective_cost,
            {cost:String} = 'contracted_cost', contracted_cost,
            list_cost) AS usd) AS part, sumIf(usd, charge_category = 'Credit') AS credited,
        arrayJoin([('org', {org:String}), ('cloud_account', cloud_account_id), ('team', team_id)]) AS dim
    FROM cost_slice(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    WHERE lines > 0 /*if days*/AND (empty({days:Array(Date32)}) OR day IN {days:Array(Date32)})/*end*/
    GROUP BY day, cloud_account_id, team_id
)
WHERE dim != ('team', 'unassigned') /*if dim_types*/AND (empty({dim_types:Array(String)}) OR dim IN arrayZip({dim_types:Array(String)}, {dim_keys:Array(String)}))/*end*/
GROUP BY type, key, day
UNION ALL
SELECT 'resource' AS type, resource_uid AS key, day, sum(multiIf(
        {cost:String} = 'billed_cost', billed_cost,
        {cost:String} = 'effective_cost', effective_cost,
        {cost:String} = 'contracted_cost', contracted_cost,
        list_cost) AS usd) AS cost, sumIf(usd, charge_category = 'Credit') AS credit, any(cloud_account_id) AS account
FROM cost_slice(/*without team_id*/
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
WHERE lines > 0 AND resource_uid != '' /*if days*/AND (empty({days:Array(Date32)}) OR day IN {days:Array(Date32)})/*end*/
    /*if dim_types*/AND (empty({dim_types:Array(String)}) OR ('resource', resource_uid) IN arrayZip({dim_types:Array(String)}, {dim_keys:Array(String)}))/*end*/
GROUP BY resource_uid, day
UNION ALL
SELECT 'resource_group' AS type, key_of AS key, day, sum(part) AS cost, sum(credited) AS credit, '' AS account
FROM
(
    SELECT day, multiIf(
            {cost:String} = 'billed_cost', billed_cost,
            {cost:String} = 'effective_cost', effective_cost,
            {cost:String} = 'contracted_cost', contracted_cost,
            list_cost) AS part, if(charge_category = 'Credit', part, 0) AS credited,
        arrayJoin(/*if divided*/arrayDistinct(arrayConcat(member.groups, worker.groups, space.groups))/*else member.groups end*/) AS key_of
    FROM cost_slice(/*without team_id*/
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)}) AS c
    LEFT ANY JOIN grouped_resources(org = {org:String}, with_deleted = 0) AS member ON member.resource_uid = c.resource_uid
    /*if divided*/
    LEFT ANY JOIN grouped_resources(org = {org:String}, with_deleted = 0) AS worker ON worker.resource_uid = c.owner_uids[1]
    LEFT ANY JOIN grouped_resources(org = {org:String}, with_deleted = 0) AS space ON space.resource_uid = c.owner_uids[2]
    /*end*/
    WHERE lines > 0 /*if days*/AND (empty({days:Array(Date32)}) OR day IN {days:Array(Date32)})/*end*/
)
/*if dim_types*/WHERE empty({dim_types:Array(String)}) OR ('resource_group', key_of) IN arrayZip({dim_types:Array(String)}, {dim_keys:Array(String)})/*end*/
GROUP BY key, day
/*if divided*/
UNION ALL
SELECT 'resource' AS type, owner_uids[2] AS key, day, sum(multiIf(
        {cost:String} = 'billed_cost', billed_cost,
        {cost:String} = 'effective_cost', effective_cost,
        {cost:String} = 'contracted_cost', contracted_cost,
        list_cost) AS usd) AS cost, sumIf(usd, charge_category = 'Credit') AS credit, any(cloud_account_id) AS account
FROM cost_slice(/*without team_id*/
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
WHERE lines > 0 AND notEmpty(owner_uids) /*if days*/AND (empty({days:Array(Date32)}) OR day IN {days:Array(Date32)})/*end*/
    /*if dim_types*/AND (empty({dim_types:Array(String)}) OR ('resource', owner_uids[2]) IN arrayZip({dim_types:Array(String)}, {dim_keys:Array(String)}))/*end*/
GROUP BY key, day
/*end*/
