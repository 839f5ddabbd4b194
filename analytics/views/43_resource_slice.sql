-- Resources of the inventory, deleted ones included, with the filters of cost_slice: one row per resource, with its current team
-- (`unassigned` if none). An empty list means all.
-- Marks: accounts, allocated, providers, regions, scope_teams, scoped, team, teams, types.
CREATE OR REPLACE VIEW resource_slice AS
SELECT cloud_account_id, resource_uid, name, type, provider, region, first_seen_at, deleted_at, team_id
FROM
(
    SELECT r.cloud_account_id AS cloud_account_id, r.resource_uid AS resource_uid, name, type, provider, region, first_seen_at,
        deleted_at, /*if team*/multiIf(
            own.team_id != '', own.team_id,
            /*if allocated*/rule.team_id != '', rule.team_id,/*end*/
            'unassigned')/*else '' end*/ AS team_id
    FROM
    (
        SELECT cloud_account_id, resource_uid, name, type, provider, region, first_seen_at, deleted_at
        FROM resource_state FINAL
        WHERE org_id = {org:String}
    ) AS r
    /*if team*/LEFT ANY JOIN team_assignments(org = {org:String}) AS own ON own.resource_uid = r.resource_uid
    /*if allocated*/LEFT ANY JOIN allocations(org = {org:String}) AS rule
        ON rule.cloud_account_id = r.cloud_account_id AND rule.resource_uid = r.resource_uid/*end*//*end*/
)
WHERE true
    /*if providers*/AND (empty({providers:Array(String)}) OR provider IN {providers:Array(String)} OR has({providers:Array(String)}, '*') AND provider NOT IN ('', 'aws', 'gcp', 'azure'))/*end*/
    /*if accounts*/AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})/*end*/
    /*if regions*/AND (empty({regions:Array(String)}) OR region IN {regions:Array(String)})/*end*/
    /*if types*/AND (empty({types:Array(String)}) OR type IN {types:Array(String)})/*end*/
    /*if teams*/AND (empty({teams:Array(String)}) OR team_id IN {teams:Array(String)})/*end*/
    /*if scoped*/AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)}
        /*if scope_teams*/OR team_id IN {scope_teams:Array(String)}/*end*/)/*end*/
