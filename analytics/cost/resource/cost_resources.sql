-- A page of resources that have a cost, highest first, and their total number: one row per account and resource, and one for costs without
-- a resource, in US dollars. Other columns are from the charge with the highest cost. {cost} is billed_cost, effective_cost,
-- contracted_cost or list_cost; the other parameters are those of the view cost_slice. Read by GET /reports/teams/:teamID/resources.
SELECT
    c.cloud_account_id AS cloud_account_id,
    c.resource_uid AS resource_uid,
    named.name AS name,
    c.type AS resource_type,
    c.provider AS provider,
    c.cost_usd AS cost_usd,
    c.total AS total
FROM
(
    SELECT
        cloud_account_id,
        resource_uid,
        argMax(resource_type, {cost:Identifier}) AS type,
        argMax(provider, {cost:Identifier}) AS provider,
        sum({cost:Identifier}) AS cost_usd,
        count() OVER () AS total
    FROM cost_slice(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    GROUP BY cloud_account_id, resource_uid
    HAVING sum(lines) > 0
    ORDER BY cost_usd DESC, cloud_account_id, resource_uid
    LIMIT {limit:UInt32} OFFSET {offset:UInt64}
) AS c
LEFT ANY JOIN
(
    SELECT cloud_account_id, resource_uid, name FROM resource_state FINAL WHERE org_id = {org:String}
) AS named ON named.cloud_account_id = c.cloud_account_id AND named.resource_uid = c.resource_uid
ORDER BY cost_usd DESC, cloud_account_id, resource_uid
