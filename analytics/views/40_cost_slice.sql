-- Costs as reports filter and attribute them, by day, resource, team and every dimension: the one place for both. Amounts are US dollars.
-- An empty list means all; days are included at both ends. team_id is the ID of a team or `unassigned`; closed months keep the team that
-- their resources had then.
-- A shared cost has one row for each team that gets a part of it, with that part: weights[place] of the sum of weights; the largest weight
-- also gets the rounding remainder. `place` is 0 for any other cost. If resources are not read (no `by_resource`), shared costs are
-- distributed by all other dimensions after the filters, which gives far fewer rows. If only teams and resources are read (`by_team`),
-- other costs are added up by them, without the day and other dimensions.
-- A cluster cost has the tags of its workload, otherwise the labels of its pod, otherwise the tags of its namespace, otherwise those of
-- the resource. A cost without a resource has the tags of its lines.
-- provider is a cloud or the name in the provider's bills (`other` if there is none); '*' in {providers} means any but the clouds.
-- {tag_keys} and {tag_values} correspond by position and must all match; an empty value means any. {scoped} 1 keeps only what
-- {scope_accounts} or {scope_teams} allow. {as_of} is a UTC time, '' means now.
-- Marks: accounts, by_resource, by_team, carried, clustered, divided, given, line_tags, providers, regions, scope_teams, scoped, shared, tags, team, teams, types, whose.
CREATE OR REPLACE VIEW cost_slice AS
SELECT b.day AS day, b.cloud_account_id AS cloud_account_id, b.provider AS provider, b.region AS region, b.service_name AS service_name,
    b.resource_type AS resource_type, b.purchase_type AS purchase_type, b.charge_category AS charge_category, b.resource_uid AS resource_uid,
    /*if line_tags*/b.own_tags AS own_tags,/*end*/
    /*if whose*/b.billing_account AS billing_account, b.sub_account AS sub_account,/*end*/
    /*if divided and clustered*/b.cluster/*else '' end*/ AS cluster, /*if divided and clustered*/b.namespace/*else '' end*/ AS namespace, /*if divided and carried*/b.owner_uids AS owner_uids, b.pod_labels AS pod_labels,/*end*/
    /*if team and shared*/taker/*else b.team_id end*/ AS team_id,
    /*if team and shared*/place,/*else toUInt32(0) AS place, end*/
    /*if team and shared*/b.weights AS weights,/*else emptyArrayInt64() AS weights, end*/
    /*if team and shared*/if(place = 0, b.billed_cost, reinterpret(toInt128(billed_part + if(place = largest, billed_rest, toInt256(0))), 'Decimal(38, 14)'))/*else b.billed_cost end*/ AS billed_cost,
    /*if team and shared*/if(place = 0, b.effective_cost, reinterpret(toInt128(effective_part + if(place = largest, effective_rest, toInt256(0))), 'Decimal(38, 14)'))/*else b.effective_cost end*/ AS effective_cost,
    /*if team and shared*/if(place = 0, b.contracted_cost, reinterpret(toInt128(contracted_part + if(place = largest, contracted_rest, toInt256(0))), 'Decimal(38, 14)'))/*else b.contracted_cost end*/ AS contracted_cost,
    /*if team and shared*/if(place = 0, b.list_cost, reinterpret(toInt128(list_part + if(place = largest, list_rest, toInt256(0))), 'Decimal(38, 14)'))/*else b.list_cost end*/ AS list_cost,
    b.saved AS saved, b.estimated_saved AS estimated_saved, b.observed_saved AS observed_saved, b.verified_saved AS verified_saved,
    b.lines AS lines, b.estimated_lines AS estimated_lines
/*if team and shared*/
FROM
(
    SELECT a.*,
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
    FROM
    (
        SELECT b.cloud_account_id AS cloud_account_id, b.policy_id AS policy_id,
            /*if no by_team*/b.day/*else if(b.policy_id = '', {from:Date32}, b.day) end*/ AS day,
            /*if no by_team*/b.provider/*else if(b.policy_id = '', '', b.provider) end*/ AS provider,
            /*if no by_team*/b.region/*else if(b.policy_id = '', '', b.region) end*/ AS region,
            /*if no by_team*/b.service_name/*else if(b.policy_id = '', '', b.service_name) end*/ AS service_name,
            /*if no by_team*/b.resource_type/*else if(b.policy_id = '', '', b.resource_type) end*/ AS resource_type,
            /*if no by_team*/b.purchase_type/*else if(b.policy_id = '', '', b.purchase_type) end*/ AS purchase_type,
            /*if no by_team*/b.charge_category/*else if(b.policy_id = '', '', b.charge_category) end*/ AS charge_category,
            /*if line_tags and by_resource*/b.own_tags AS own_tags,/*end*//*if no line_tags or by_resource*//*else toLowCardinality('') AS own_tags, end*/
            /*if whose*/b.billing_account AS billing_account, b.sub_account AS sub_account,/*end*/
            /*if divided and clustered*/b.cluster AS cluster, b.namespace AS namespace,/*end*/ /*if divided and carried*/b.owner_uids AS owner_uids, b.pod_labels AS pod_labels,/*end*/
            /*if no by_team and by_resource*/b.resource_uid/*end*//*if by_team or by_resource*//*else '' end*//*if no by_team*//*else if(b.policy_id = '', b.resource_uid, '') end*/ AS resource_uid,
            /*if by_resource*/b.team_id/*else if(b.policy_id = '', b.team_id, '') end*/ AS team_id,
            /*if by_resource*/b.billed_cost/*else sum(b.billed_cost) end*/ AS billed_cost,
            /*if by_resource*/b.effective_cost/*else sum(b.effective_cost) end*/ AS effective_cost,
            /*if by_resource*/b.contracted_cost/*else sum(b.contracted_cost) end*/ AS contracted_cost,
            /*if by_resource*/b.list_cost/*else sum(b.list_cost) end*/ AS list_cost,
            /*if by_resource*/b.saved/*else sum(b.saved) end*/ AS saved,
            /*if by_resource*/b.estimated_saved/*else sum(b.estimated_saved) end*/ AS estimated_saved,
            /*if by_resource*/b.observed_saved/*else sum(b.observed_saved) end*/ AS observed_saved,
            /*if by_resource*/b.verified_saved/*else sum(b.verified_saved) end*/ AS verified_saved,
            /*if by_resource*/b.lines/*else sum(b.lines) end*/ AS lines,
            /*if by_resource*/b.estimated_lines/*else sum(b.estimated_lines) end*/ AS estimated_lines
/*end*/
        FROM cost_attributed(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String}) AS b
        /*if tags and divided*/
        LEFT ANY JOIN tag_maps(org = {org:String}, keys = {tag_keys:Array(String)}) AS worker
            ON worker.cloud_account_id = b.cloud_account_id AND worker.resource_uid = b.owner_uids[1]
        LEFT ANY JOIN tag_maps(org = {org:String}, keys = {tag_keys:Array(String)}) AS space
            ON space.cloud_account_id = b.cloud_account_id AND space.resource_uid = b.owner_uids[2]
        LEFT ANY JOIN tag_maps(org = {org:String}, keys = {tag_keys:Array(String)}) AS machine
            ON machine.cloud_account_id = b.cloud_account_id AND machine.resource_uid = b.resource_uid
        /*end*/
        WHERE true
            /*if providers*/AND (empty({providers:Array(String)}) OR b.provider IN {providers:Array(String)} OR has({providers:Array(String)}, '*') AND b.provider NOT IN ('', 'aws', 'gcp', 'azure'))/*end*/
            /*if accounts*/AND (empty({accounts:Array(String)}) OR b.cloud_account_id IN {accounts:Array(String)})/*end*/
            /*if regions*/AND (empty({regions:Array(String)}) OR b.region IN {regions:Array(String)})/*end*/
            /*if types*/AND (empty({types:Array(String)}) OR b.resource_type IN {types:Array(String)})/*end*/
            /*if tags*//*if divided*/AND (empty({tag_keys:Array(String)}) OR arrayAll((k, v) -> (multiIf(worker.of[k] != '', worker.of[k], b.pod_labels[k] != '', b.pod_labels[k], space.of[k] != '', space.of[k], b.own_tags = '', machine.of[k], if(b.provider = 'azure', arrayLast(p -> lowerUTF8(p.1) = lowerUTF8(k), JSONExtractKeysAndValues(b.own_tags, 'String')).2, JSONExtractString(b.own_tags, k))) AS value) != '' AND (v = '' OR v = value),
                {tag_keys:Array(String)}, {tag_values:Array(String)}))/*else AND (empty({tag_keys:Array(String)}) OR b.own_tags != '' AND arrayAll((k, v) -> (if(b.provider = 'azure', arrayLast(p -> lowerUTF8(p.1) = lowerUTF8(k), JSONExtractKeysAndValues(b.own_tags, 'String')).2, JSONExtractString(b.own_tags, k)) AS value) != '' AND (v = '' OR v = value),
                {tag_keys:Array(String)}, {tag_values:Array(String)})
            OR (b.cloud_account_id, b.resource_uid) IN
            (
                SELECT cloud_account_id, resource_uid
                FROM tagged_resources(org = {org:String}, tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
            )) end*//*end*/
        /*if team and shared*/
        /*if by_resource*//*else GROUP BY ALL end*/
    ) AS a
    LEFT ANY JOIN
        /*if no given*/cost_shares(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String})/*else given_shares() end*/ AS share
        ON share.period = toYYYYMM(a.day) AND share.policy_id = a.policy_id
) AS b
ARRAY JOIN takers AS taker, places AS place, billed_parts AS billed_part, effective_parts AS effective_part, contracted_parts AS contracted_part, list_parts AS list_part
WHERE true
/*end*/
    /*if teams*/AND (empty({teams:Array(String)}) OR team_id IN {teams:Array(String)})/*end*/
    /*if scoped*/AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)}
        /*if scope_teams*/OR team_id IN {scope_teams:Array(String)}/*end*/)/*end*/
