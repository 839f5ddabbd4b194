-- Cost as reports narrow and attribute it, by day, resource, team and every dimension: the one place for both. An empty list
-- means all, days are included at both ends. team_id is a team's id or `unassigned`; months closed by a snapshot keep the team
-- their resources had then. {tag_keys} and {tag_values} pair by place and must all hold; an empty value asks for the key
-- alone. {scoped} 1 leaves only what {scope_accounts} or {scope_teams} allow. {as_of} '' is now, else a UTC time.
-- A question that does not need resources, teams, tags or an earlier time is asked without the parts marked for them.
CREATE OR REPLACE VIEW cost_slice AS
SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category,
    resource_uid, team_id, billed_cost, effective_cost, contracted_cost, list_cost, saved, lines, estimated_lines
FROM
(
    SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category,
        c.resource_uid AS resource_uid,
        /*if team*/multiIf(
            s.period != 0 AND closed.team_id != '', closed.team_id,
            s.period = 0 AND own.team_id != '', own.team_id,
            'unassigned')/*else '' end*/ AS team_id,
        billed_cost, effective_cost, contracted_cost, list_cost, saved, lines, estimated_lines
    FROM cost_at(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String}) AS c
    /*if team*/
    LEFT ANY JOIN (SELECT period FROM snapshot_state FINAL WHERE org_id = {org:String}) AS s
        ON s.period = toUInt32(toYYYYMM(c.day))
    LEFT ANY JOIN
    (
        SELECT period, resource_uid, team_id
        FROM closed_assignment FINAL
        WHERE org_id = {org:String} AND period BETWEEN toYYYYMM({from:Date32}) AND toYYYYMM({to:Date32})
    ) AS closed ON closed.period = s.period AND closed.resource_uid = c.resource_uid
    LEFT ANY JOIN team_assignments(org = {org:String}) AS own ON own.resource_uid = c.resource_uid
    /*end*/
)
WHERE true
    /*if providers*/AND (empty({providers:Array(String)}) OR provider IN {providers:Array(String)})/*end*/
    /*if accounts*/AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})/*end*/
    /*if regions*/AND (empty({regions:Array(String)}) OR region IN {regions:Array(String)})/*end*/
    /*if types*/AND (empty({types:Array(String)}) OR resource_type IN {types:Array(String)})/*end*/
    /*if teams*/AND (empty({teams:Array(String)}) OR team_id IN {teams:Array(String)})/*end*/
    /*if scoped*/AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)}
        /*if scope_teams*/OR team_id IN {scope_teams:Array(String)}/*end*/)/*end*/
    /*if tags*/AND (empty({tag_keys:Array(String)}) OR (cloud_account_id, resource_uid) IN
    (
        SELECT cloud_account_id, resource_uid
        FROM tagged_resources(org = {org:String}, tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    ))/*end*/
