-- What the excess cost of some dimensions consists of: one row per dimension, in US dollars. {dim_types} and {dim_keys} are the
-- dimensions; {baseline_days} is the number of the seven days before {to} that each baseline is the mean of. Excesses of resources add up
-- to that of their dimension.
-- A resource is new if nothing was known of it before the two days before {to}: no cost from {since} to {to} - 3, and no entry in the
-- inventory. A new resource is onboarded if its account is new too, without costs from {since} to {to} - 15, and opened if the account has
-- no costs up to {to} - 3 either. Added are members of a group or team that joined in the seven days before {to}, except its first
-- members.
-- `service` is the service of costs without a resource, with {service_names} replaced by {service_titles}, empty for other costs. {cost}
-- is billed_cost, effective_cost, contracted_cost or list_cost; the other parameters are those of the view cost_slice. Read by the anomaly
-- job.
-- Marks: divided, served, service_names.
WITH entry AS
(
    SELECT
        day, cloud_account_id, c.resource_uid AS resource_uid, resource_type,
        /*if served and service_names*/transform(toString(service_name), {service_names:Array(String)}, {service_titles:Array(String)}, toString(service_name))/*else service_name end*/ AS shown_service,
        {cost:Identifier} AS cost,
        arrayJoin(arrayConcat(
                [('org', {org:String}), ('cloud_account', cloud_account_id)],
                if(resource_uid = '', [], [('resource', resource_uid)]),
                if(team_id = 'unassigned', [], [('team', team_id)]),
                arrayMap(g -> ('resource_group', g), /*if divided*/arrayDistinct(arrayConcat(member.groups, worker.groups, space.groups))/*else member.groups end*/),
                /*if divided*/if(empty(owner_uids), [], [('resource', owner_uids[2])])/*else [] end*/
            )) AS dim
    FROM cost_slice(
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
    WHERE lines > 0 AND day >= {to:Date32} - 7
),
wanted AS
(
    SELECT (w.1, w.2) AS dim, w.3 AS days
    FROM
    (
        SELECT arrayJoin(arrayZip(
            {dim_types:Array(String)}, {dim_keys:Array(String)}, {baseline_days:Array(UInt8)})) AS w
    )
),
excess AS
(
    SELECT
        e.dim AS dim, cloud_account_id, e.resource_uid AS uid, argMax(resource_type, cost) AS type,
        if(e.resource_uid = '', shown_service, '') AS service,
        toFloat64(sumIf(cost, day = {to:Date32})) AS actual,
        actual - toFloat64(sumIf(cost, day < {to:Date32})) / any(wanted.days) AS delta
    FROM entry AS e
    INNER JOIN wanted ON wanted.dim = e.dim
    GROUP BY dim, cloud_account_id, uid, service
),
known AS
(
    SELECT resource_uid
    FROM resource_state FINAL
    WHERE org_id = {org:String} AND toDate32(first_seen_at) < {to:Date32} - 2
    UNION DISTINCT
    SELECT resource_uid
    FROM cost_daily_slot
    WHERE org_id = {org:String} AND day BETWEEN {since:Date32} AND {to:Date32} - 3
        AND edition IN
        (
            SELECT edition FROM cost_day FINAL
            WHERE org_id = {org:String} AND day BETWEEN {since:Date32} AND {to:Date32} - 3
        )
),
billed_account AS
(
    SELECT cloud_account_id, min(day) AS begun
    FROM cost_service_daily_slot
    WHERE org_id = {org:String} AND day BETWEEN {since:Date32} AND {to:Date32} - 3
        AND edition IN
        (
            SELECT edition FROM cost_day FINAL
            WHERE org_id = {org:String} AND day BETWEEN {since:Date32} AND {to:Date32} - 3
        )
    GROUP BY cloud_account_id
),
added AS
(
    SELECT ('resource_group', group_id) AS dim, resource_uid
    FROM
    (
        SELECT group_id, resource_uid, added_at, min(added_at) OVER (PARTITION BY group_id) AS begun
        FROM resource_group_member FINAL
        WHERE org_id = {org:String} AND removed = 0
    )
    WHERE added_at > begun AND toDate32(added_at) >= {to:Date32} - 7
    UNION ALL
    SELECT ('team', team_id) AS dim, resource_uid
    FROM
    (
        SELECT team_id, resource_uid, assigned_at, min(assigned_at) OVER (PARTITION BY team_id) AS begun
        FROM resource_teams(org = {org:String})
    )
    WHERE assigned_at > begun AND toDate32(assigned_at) >= {to:Date32} - 7
),
judged AS
(
    SELECT
        *,
        uid != '' AND uid NOT IN (known) AS is_new,
        is_new AND cloud_account_id NOT IN (SELECT cloud_account_id FROM billed_account WHERE begun <= {to:Date32} - 15) AS is_onboarded,
        is_new AND cloud_account_id NOT IN (SELECT cloud_account_id FROM billed_account) AS is_opened,
        (dim, uid) IN (added) AS is_added
    FROM excess
)
SELECT
    dim.1 AS type,
    dim.2 AS key,
    sumIf(actual, is_new) AS new_usd,
    sumIf(delta, is_new) AS new_delta_usd,
    countIf(is_new AND actual > 0) AS new_resources,
    sumIf(actual, is_onboarded) AS onboarded_usd,
    sumIf(delta, is_onboarded) AS onboarded_delta_usd,
    countIf(is_onboarded AND actual > 0) AS onboarded_resources,
    sumIf(actual, is_opened) AS opened_usd,
    sumIf(delta, is_added) AS added_usd,
    countIf(is_added) AS added_resources,
    arrayMap(r -> r.1, arraySlice(arrayReverseSort(r -> (r.2, r.1), groupArrayIf((uid, delta, actual, is_new), delta > 0 AND uid != '')), 1, 5) AS top) AS uids,
    arrayMap(r -> r.2, top) AS deltas,
    arrayMap(r -> r.3, top) AS actuals,
    arrayMap(r -> r.4, top) AS news,
    sumMap(map(of_type, delta)) AS by_type,
    sumMap(map(cloud_account_id, delta)) AS by_account,
    sumMap(map(service, delta)) AS by_service,
    arrayReverseSort(m -> m.2, arrayZip(mapKeys(by_type), mapValues(by_type)))[1].1 AS spike_type,
    arrayMax(mapValues(by_type)) AS spike_type_usd,
    arrayReverseSort(m -> m.2, arrayZip(mapKeys(by_account), mapValues(by_account)))[1].1 AS spike_account,
    arrayMax(mapValues(by_account)) AS spike_account_usd,
    arrayReverseSort(m -> m.2, arrayZip(mapKeys(by_service), mapValues(by_service)))[1].1 AS spike_service,
    arrayMax(mapValues(by_service)) AS spike_service_usd
FROM
(
    SELECT dim, uid, delta, actual, is_new, is_onboarded, is_opened, is_added, type AS of_type, cloud_account_id, service FROM judged
)
GROUP BY dim
ORDER BY type, key
