-- Costs by day, resource and every dimension with their team, before shared costs are distributed: the rows of cost_at, in US dollars.
-- team_id is the ID of a team or `unassigned`. policy_id is the rule that distributes the cost, empty for all other costs.
-- A team assigned by hand takes precedence over one by rule. Closed months keep the team that their resources had then; if all months of
-- the range are open, closed ones are not read. A cluster cost belongs to the team of its workload, otherwise of its namespace, otherwise
-- of the resource itself. Parameters: those of cost_at. Read by cost_slice.
-- Marks: allocated, carried, clustered, divided, given, line_tags, open_months, owners, rule_accounts, rule_keys, shared, team, whose.
CREATE OR REPLACE VIEW cost_attributed AS
/*if team and shared*/WITH /*if rule_keys*/tagged.tags/*else CAST(map(), 'Map(String, String)') end*/ AS carried/*end*/
SELECT c.day AS day, c.cloud_account_id AS cloud_account_id, c.provider AS provider, c.region AS region, c.service_name AS service_name,
    c.resource_type AS resource_type, c.purchase_type AS purchase_type, c.charge_category AS charge_category,
    c.resource_uid AS resource_uid, /*if line_tags*/c.own_tags AS own_tags,/*end*/ /*if whose*/c.billing_account AS billing_account, c.sub_account AS sub_account,/*end*/ /*if divided and clustered*/c.cluster AS cluster, c.namespace AS namespace,/*end*/ /*if divided and carried*/c.owner_uids AS owner_uids, c.pod_labels AS pod_labels,/*end*/
    /*if team*/multiIf(
        /*if no open_months*/s.period != 0 AND closed.team_id != '', closed.team_id,/*end*/
        /*if no open_months and allocated*/s.period != 0 AND then.team_id != '', then.team_id,/*end*/
        /*if no open_months*/s.period = 0 AND/*end*/ own.team_id != '', own.team_id,
        /*if no open_months and allocated*/s.period = 0 AND/*end*/ /*if allocated*/rule.team_id != '', rule.team_id,/*end*/
        'unassigned')/*else '' end*/ AS team_id,
    /*if team and shared*/if(c.lines = 0, '', arrayFirst(
        r -> arrayAll(
            need -> multiIf(
                need.2 IN ('in', 'equals'), has(need.3, carried[need.1]),
                need.2 IN ('not_in', 'not_equals'), NOT has(need.3, carried[need.1]),
                need.2 = 'contains', arrayExists(v -> position(carried[need.1], v) > 0, need.3),
                need.2 = 'starts_with', arrayExists(v -> startsWith(carried[need.1], v), need.3),
                need.2 = 'ends_with', arrayExists(v -> endsWith(carried[need.1], v), need.3),
                need.2 = 'exists', carried[need.1] != '',
                carried[need.1] = ''),
            r.2),
        line.rules).1)/*else '' end*/ AS policy_id,
    c.billed_cost AS billed_cost, c.effective_cost AS effective_cost, c.contracted_cost AS contracted_cost, c.list_cost AS list_cost,
    c.saved AS saved, c.estimated_saved AS estimated_saved, c.observed_saved AS observed_saved, c.verified_saved AS verified_saved,
    c.lines AS lines, c.estimated_lines AS estimated_lines
/*if divided*/
FROM
(
    /*end*/
    /*if divided and team*/WITH /*if no owners*/arrayConcat((SELECT groupArray((period, cloud_account_id, resource_uid)) FROM teamed_resources(org = {org:String}, from = {from:Date32}, to = {to:Date32})))/*else {owners:Array(Tuple(UInt32, String, String))} end*/ AS owned,
        (SELECT groupArray(period) FROM snapshot_state FINAL WHERE org_id = {org:String}) AS closed/*end*/
    /*if divided*/
    SELECT */*if team*/,
        if(has(closed, toUInt32(toYYYYMM(day))), toUInt32(toYYYYMM(day)), toUInt32(0)) AS of_period,
        multiIf(
            (of_period, '', owner_uids[1]) IN owned
                OR (of_period, cloud_account_id, owner_uids[1]) IN owned, owner_uids[1],
            (of_period, '', owner_uids[2]) IN owned
                OR (of_period, cloud_account_id, owner_uids[2]) IN owned, owner_uids[2],
            resource_uid) AS owner_uid/*end*/
    FROM cost_at(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String})
) AS c
/*else FROM cost_at(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String}) AS c end*/
/*if team and no open_months*/
LEFT ANY JOIN (SELECT period FROM snapshot_state FINAL WHERE org_id = {org:String}) AS s
    ON s.period = toUInt32(toYYYYMM(c.day))
LEFT ANY JOIN
(
    SELECT period, resource_uid, team_id
    FROM closed_assignment FINAL
    WHERE org_id = {org:String} AND period BETWEEN toYYYYMM({from:Date32}) AND toYYYYMM({to:Date32})
) AS closed ON closed.period = s.period AND closed.resource_uid = /*if divided*/c.owner_uid/*else c.resource_uid end*/
/*end*/
/*if team*/
LEFT ANY JOIN team_assignments(org = {org:String}) AS own ON own.resource_uid = /*if divided*/c.owner_uid/*else c.resource_uid end*/
/*end*/
/*if team and allocated and no open_months*/
LEFT ANY JOIN
(
    SELECT period, cloud_account_id, resource_uid, team_id
    FROM closed_allocation FINAL
    WHERE org_id = {org:String} AND period BETWEEN toYYYYMM({from:Date32}) AND toYYYYMM({to:Date32})
) AS then ON then.period = s.period AND then.cloud_account_id = c.cloud_account_id AND then.resource_uid = /*if divided*/c.owner_uid/*else c.resource_uid end*/
/*end*/
/*if team and allocated*/
LEFT ANY JOIN allocations(org = {org:String}) AS rule
    ON rule.cloud_account_id = c.cloud_account_id AND rule.resource_uid = /*if divided*/c.owner_uid/*else c.resource_uid end*/
/*end*/
/*if team and shared*/
LEFT ANY JOIN
    /*if no given*/shared_lines(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String})/*else given_lines(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String}) end*/ AS line
    ON line.period = toYYYYMM(c.day) AND line.cloud_account_id = c.cloud_account_id AND line.service_name = c.service_name
    AND line.charge_category = c.charge_category
    /*if rule_accounts*/AND line.billing_account = c.billing_account AND line.sub_account = c.sub_account/*end*/
/*end*/
/*if team and shared and rule_keys*/
LEFT ANY JOIN shared_tags(org = {org:String}, from = {from:Date32}, to = {to:Date32}) AS tagged
    ON /*if no open_months*/tagged.period = s.period AND/*end*/ tagged.cloud_account_id = c.cloud_account_id AND tagged.resource_uid = c.resource_uid
/*end*/
