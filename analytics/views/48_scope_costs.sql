-- Charges by what a budget may be for, in US dollars: one row per day, kind of charge and scope that it counts in. `scope` is `org`,
-- `cloud_account`, `service`, `tag`, `team` or `resource_group`; `id` is the ID of the organization, account, team or group, the name of
-- the service as reports show it, or the tag as key:value, for the keys {dim_tags} (a colon or backslash in a key has a backslash
-- before); {dim_values} has an empty list for each of these.
-- Costs belong to the current team of a resource, in closed months to its team at that time. A resource counts in every group that it is
-- in, in any account; a cluster cost counts in the groups of its workload, its namespace and its machine. {ids} are ids of any kind, an
-- empty list means all; days from {from} to {to} are included. Read by the queries about budgets.
-- Marks: divided, labels.
CREATE OR REPLACE VIEW scope_costs AS
SELECT day, whose.1 AS scope, whose.2 AS id, charge_category, service_name, resource_type, purchase_type, billed_cost, effective_cost,
    contracted_cost, list_cost
FROM
(
    SELECT day, charge_category, service_name, resource_type, purchase_type, billed_cost, effective_cost, contracted_cost, list_cost,
        arrayJoin(arrayFilter(w -> w.2 != '' AND (empty({ids:Array(String)}) OR w.2 IN {ids:Array(String)}), arrayConcat(
            [('org', {org:String}), ('cloud_account', toString(s.cloud_account_id)), ('service', toString(s.service_name)), ('team', toString(s.team_id))],
            /*if labels*/arrayFilter(w -> NOT endsWith(w.2, ':'), arrayMap((k, v) -> ('tag', concat(replaceAll(replaceAll(k, '\\', '\\\\'), ':', '\\:'), ':', v)), {dim_tags:Array(String)}, s.labels)),/*end*/
            arrayMap(g -> ('resource_group', toString(g)), /*if divided*/arrayDistinct(arrayConcat(m.groups, worker.groups, space.groups))/*else m.groups end*/)))) AS whose
    FROM
    (
        SELECT day, cloud_account_id, resource_uid, /*if divided*/owner_uids,/*end*/ /*if labels*/labels,/*end*/ team_id, charge_category,
            shown_service AS service_name, resource_type, purchase_type,
            billed_cost, effective_cost, contracted_cost, list_cost
        FROM cost_slice_tagged(
            org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = '',
            providers = [], accounts = [], regions = [], types = [], teams = [],
            scoped = 0, scope_accounts = [], scope_teams = [], tag_keys = [], tag_values = [],
            dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},
            service_names = {service_names:Array(String)}, service_titles = {service_titles:Array(String)})
        WHERE lines > 0
    ) AS s
    LEFT ANY JOIN grouped_resources(org = {org:String}, with_deleted = 1) AS m ON m.resource_uid = s.resource_uid
    /*if divided*/
    LEFT ANY JOIN grouped_resources(org = {org:String}, with_deleted = 1) AS worker ON worker.resource_uid = s.owner_uids[1]
    LEFT ANY JOIN grouped_resources(org = {org:String}, with_deleted = 1) AS space ON space.resource_uid = s.owner_uids[2]
    /*end*/
)
