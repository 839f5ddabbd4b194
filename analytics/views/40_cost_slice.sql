-- Cost as reports narrow and attribute it, by day, resource, team and every dimension: the one place for both. An empty list
-- means all, days are included at both ends. team_id is a team's id or `unassigned`; months closed by a snapshot keep the team
-- their resources had then. Costs that a rule hands out stand once for each team that takes part, with what it takes: its weight is
-- weights[place] of their sum, and the largest takes what rounding leaves; place is 0 for all other costs. A question that does not ask
-- for resources has them handed out by all other dimensions, after the filters, without their resource: by far fewer rows.
-- A cost of a cluster carries the tags of the workload it is divided to, else the labels of the pod, else the tags of the namespace,
-- else those of the resource itself.
-- {tag_keys} and {tag_values} pair by place and must all hold; an empty value asks for the key alone. {scoped} 1 leaves only what
-- {scope_accounts} or {scope_teams} allow. {as_of} '' is now, else a UTC time.
-- A question that does not need resources, teams, tags or an earlier time is asked without the parts marked for them.
CREATE OR REPLACE VIEW cost_slice AS
SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid,
    /*if divided*//*if clustered*/b.cluster/*else '' end*//*else '' end*/ AS cluster, /*if divided*//*if clustered*/b.namespace/*else '' end*//*else '' end*/ AS namespace, /*if divided*//*if carried*/owner_uids, pod_labels,/*end*//*end*/
    /*if team*//*if shared*/taker/*else b.team_id end*//*else b.team_id end*/ AS team_id,
    /*if team*//*if shared*/place,/*else toUInt32(0) AS place, end*//*else toUInt32(0) AS place, end*/
    /*if team*//*if shared*/weights,/*else emptyArrayInt64() AS weights, end*//*else emptyArrayInt64() AS weights, end*/
    /*if team*//*if shared*/if(place = 0, b.billed_cost, reinterpret(toInt128(billed_part + if(place = largest, billed_rest, toInt256(0))), 'Decimal(38, 14)'))/*else b.billed_cost end*//*else b.billed_cost end*/ AS billed_cost,
    /*if team*//*if shared*/if(place = 0, b.effective_cost, reinterpret(toInt128(effective_part + if(place = largest, effective_rest, toInt256(0))), 'Decimal(38, 14)'))/*else b.effective_cost end*//*else b.effective_cost end*/ AS effective_cost,
    /*if team*//*if shared*/if(place = 0, b.contracted_cost, reinterpret(toInt128(contracted_part + if(place = largest, contracted_rest, toInt256(0))), 'Decimal(38, 14)'))/*else b.contracted_cost end*//*else b.contracted_cost end*/ AS contracted_cost,
    /*if team*//*if shared*/if(place = 0, b.list_cost, reinterpret(toInt128(list_part + if(place = largest, list_rest, toInt256(0))), 'Decimal(38, 14)'))/*else b.list_cost end*//*else b.list_cost end*/ AS list_cost,
    saved, estimated_saved, observed_saved, verified_saved, lines, estimated_lines
FROM
(
    SELECT a.*/*if team*//*if shared*/,
        share.weights AS weights, share.largest AS largest,
        multiIf(a.policy_id = '', [a.team_id], empty(share.teams), ['unassigned'], share.teams) AS takers,
        if(empty(share.weights), [toUInt32(0)], arrayEnumerate(share.weights)) AS places,
        if(empty(share.weights), [toInt256(0)],
            arrayMap(w -> intDivOrZero(toInt256(reinterpret(a.billed_cost, 'Int128')) * w, share.total), share.weights)) AS billed_parts,
        toInt256(reinterpret(a.billed_cost, 'Int128')) - arraySum(billed_parts) AS billed_rest,
        if(empty(share.weights), [toInt256(0)],
            arrayMap(w -> intDivOrZero(toInt256(reinterpret(a.effective_cost, 'Int128')) * w, share.total), share.weights)) AS effective_parts,
        toInt256(reinterpret(a.effective_cost, 'Int128')) - arraySum(effective_parts) AS effective_rest,
        if(empty(share.weights), [toInt256(0)],
            arrayMap(w -> intDivOrZero(toInt256(reinterpret(a.contracted_cost, 'Int128')) * w, share.total), share.weights)) AS contracted_parts,
        toInt256(reinterpret(a.contracted_cost, 'Int128')) - arraySum(contracted_parts) AS contracted_rest,
        if(empty(share.weights), [toInt256(0)],
            arrayMap(w -> intDivOrZero(toInt256(reinterpret(a.list_cost, 'Int128')) * w, share.total), share.weights)) AS list_parts,
        toInt256(reinterpret(a.list_cost, 'Int128')) - arraySum(list_parts) AS list_rest
        /*end*//*end*/
    FROM
    (
        SELECT c.day AS day, c.cloud_account_id AS cloud_account_id, c.provider AS provider, c.region AS region,
            c.service_name AS service_name, c.resource_type AS resource_type, c.purchase_type AS purchase_type,
            c.charge_category AS charge_category, c.policy_id AS policy_id,
            /*if divided*//*if clustered*/c.cluster AS cluster, c.namespace AS namespace,/*end*/ /*if carried*/c.owner_uids AS owner_uids, c.pod_labels AS pod_labels,/*end*//*end*/
            /*if team*//*if shared*//*if by_resource*/c.resource_uid/*else if(c.policy_id = '', c.resource_uid, '') end*//*else c.resource_uid end*//*else c.resource_uid end*/ AS resource_uid,
            /*if team*//*if shared*//*if by_resource*/c.team_id/*else if(c.policy_id = '', c.team_id, '') end*//*else c.team_id end*//*else c.team_id end*/ AS team_id,
            /*if team*//*if shared*//*if by_resource*/c.billed_cost/*else sum(c.billed_cost) end*//*else c.billed_cost end*//*else c.billed_cost end*/ AS billed_cost,
            /*if team*//*if shared*//*if by_resource*/c.effective_cost/*else sum(c.effective_cost) end*//*else c.effective_cost end*//*else c.effective_cost end*/ AS effective_cost,
            /*if team*//*if shared*//*if by_resource*/c.contracted_cost/*else sum(c.contracted_cost) end*//*else c.contracted_cost end*//*else c.contracted_cost end*/ AS contracted_cost,
            /*if team*//*if shared*//*if by_resource*/c.list_cost/*else sum(c.list_cost) end*//*else c.list_cost end*//*else c.list_cost end*/ AS list_cost,
            /*if team*//*if shared*//*if by_resource*/c.saved/*else sum(c.saved) end*//*else c.saved end*//*else c.saved end*/ AS saved,
            /*if team*//*if shared*//*if by_resource*/c.estimated_saved/*else sum(c.estimated_saved) end*//*else c.estimated_saved end*//*else c.estimated_saved end*/ AS estimated_saved,
            /*if team*//*if shared*//*if by_resource*/c.observed_saved/*else sum(c.observed_saved) end*//*else c.observed_saved end*//*else c.observed_saved end*/ AS observed_saved,
            /*if team*//*if shared*//*if by_resource*/c.verified_saved/*else sum(c.verified_saved) end*//*else c.verified_saved end*//*else c.verified_saved end*/ AS verified_saved,
            /*if team*//*if shared*//*if by_resource*/c.lines/*else sum(c.lines) end*//*else c.lines end*//*else c.lines end*/ AS lines,
            /*if team*//*if shared*//*if by_resource*/c.estimated_lines/*else sum(c.estimated_lines) end*//*else c.estimated_lines end*//*else c.estimated_lines end*/ AS estimated_lines
        FROM cost_attributed(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String}) AS c
        /*if tags*//*if divided*/
        LEFT ANY JOIN tag_maps(org = {org:String}, keys = {tag_keys:Array(String)}) AS worker
            ON worker.cloud_account_id = c.cloud_account_id AND worker.resource_uid = c.owner_uids[1]
        LEFT ANY JOIN tag_maps(org = {org:String}, keys = {tag_keys:Array(String)}) AS space
            ON space.cloud_account_id = c.cloud_account_id AND space.resource_uid = c.owner_uids[2]
        LEFT ANY JOIN tag_maps(org = {org:String}, keys = {tag_keys:Array(String)}) AS machine
            ON machine.cloud_account_id = c.cloud_account_id AND machine.resource_uid = c.resource_uid
        /*end*//*end*/
        WHERE true
            /*if providers*/AND (empty({providers:Array(String)}) OR c.provider IN {providers:Array(String)})/*end*/
            /*if accounts*/AND (empty({accounts:Array(String)}) OR c.cloud_account_id IN {accounts:Array(String)})/*end*/
            /*if regions*/AND (empty({regions:Array(String)}) OR c.region IN {regions:Array(String)})/*end*/
            /*if types*/AND (empty({types:Array(String)}) OR c.resource_type IN {types:Array(String)})/*end*/
            /*if tags*//*if divided*/AND (empty({tag_keys:Array(String)}) OR arrayAll((k, v) -> (multiIf(worker.of[k] != '', worker.of[k], c.pod_labels[k] != '', c.pod_labels[k], space.of[k] != '', space.of[k], machine.of[k]) AS value) != '' AND (v = '' OR v = value),
                {tag_keys:Array(String)}, {tag_values:Array(String)}))/*else AND (empty({tag_keys:Array(String)}) OR (c.cloud_account_id, c.resource_uid) IN
            (
                SELECT cloud_account_id, resource_uid
                FROM tagged_resources(org = {org:String}, tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
            )) end*//*end*/
        /*if team*//*if shared*//*if by_resource*//*else GROUP BY ALL end*//*end*//*end*/
    ) AS a
    /*if team*//*if shared*/
    LEFT ANY JOIN
        /*if no given*/cost_shares(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String})/*else given_shares() end*/ AS share
        ON share.period = toYYYYMM(a.day) AND share.policy_id = a.policy_id
    /*end*//*end*/
) AS b
/*if team*//*if shared*/
ARRAY JOIN takers AS taker, places AS place, billed_parts AS billed_part, effective_parts AS effective_part, contracted_parts AS contracted_part, list_parts AS list_part
/*end*//*end*/
WHERE true
    /*if teams*/AND (empty({teams:Array(String)}) OR team_id IN {teams:Array(String)})/*end*/
    /*if scoped*/AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)}
        /*if scope_teams*/OR team_id IN {scope_teams:Array(String)}/*end*/)/*end*/
