-- Costs and savings by day, resource and every dimension, as reports show them now, or showed them at {as_of} ('' means now): one row per
-- sum of charges, and separate rows for savings. All amounts are US dollars. Savings are the reported figure, and the estimated, observed
-- and verified ones, each 0 if unknown. The one place that knows which sums of a day count.
-- Costs of clusters are divided by cluster, namespace and workload; the parts add up to the bill. This holds for the current time only.
-- owner_uids are the workload and the namespace as resources, pod_labels the labels of the pod. own_tags are the tags of lines without a
-- resource. cloud_account_id is the usage account, billing_account the billed account, sub_account the ID in the bill.
-- Parameters: {org}, {from} and {to} (both included), {as_of}. With the fact `charges` there are no rows for savings. Read by
-- cost_attributed.
-- Marks: carried, charges, clustered, divided, line_tags, months, past, resource, whose.
CREATE OR REPLACE VIEW cost_at AS
/*if no past*/
SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category,
    /*if resource*/resource_uid/*else '' AS resource_uid end*/,
    /*if line_tags*/own_tags,/*end*/
    /*if whose*/if(billing_account_id = '', cloud_account_id, billing_account_id) AS billing_account, sub_account_id AS sub_account,/*end*/
    /*if divided and clustered*/'' AS cluster, '' AS namespace,/*end*/ /*if divided*/emptyArrayString() AS owner_uids,/*end*/ /*if divided and carried*/CAST(map(), 'Map(String, String)') AS pod_labels,/*end*/
    billed_cost, effective_cost, contracted_cost, list_cost, toDecimal128(0, 14) AS saved,
    toDecimal128(0, 14) AS estimated_saved, toDecimal128(0, 14) AS observed_saved, toDecimal128(0, 14) AS verified_saved,
    lines, estimated_lines
FROM /*if resource*/cost_daily_slot/*else cost_service_daily_slot end*/
WHERE /*if past*/{as_of:String} = '' AND/*end*/ org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    /*if no resource or no months*/AND edition IN
    (
        SELECT edition FROM cost_day FINAL
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    )/*else AND (day, edition) IN (SELECT day, edition FROM month_editions(org = {org:String}, from = {from:Date32}, to = {to:Date32})) end*/
    /*if divided*/
    AND (day, cloud_account_id, resource_uid) NOT IN
    (
        SELECT day, cloud_account_id, resource_uid
        FROM kubernetes_cost_slot
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND kind != 'usage' AND estimated = 0
            AND edition IN
            (
                SELECT edition FROM cost_day FINAL
                WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
            )
    )
    /*end*/
/*end*/
/*if no past and divided*/
UNION ALL
SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid,
    /*if line_tags*/toLowCardinality('') AS own_tags,/*end*/
    /*if whose*/if(billing_account_id = '', cloud_account_id, billing_account_id) AS billing_account, sub_account_id AS sub_account,/*end*/
    /*if clustered*/toString(cluster_uid) AS cluster, toString(kubernetes_cost_slot.namespace) AS namespace,/*end*/
    if(kubernetes_cost_slot.namespace = '', emptyArrayString(), [
        concat(cluster_uid, '/', kubernetes_cost_slot.namespace, '/', if(controller = '', concat('pod/', pod), concat(controller_kind, '/', controller))),
        concat(cluster_uid, '/namespace/', kubernetes_cost_slot.namespace)]) AS owner_uids,
    /*if carried*/CAST(labels, 'Map(String, String)') AS pod_labels,/*end*/
    billed_cost, effective_cost, contracted_cost, list_cost, toDecimal128(0, 14) AS saved,
    toDecimal128(0, 14) AS estimated_saved, toDecimal128(0, 14) AS observed_saved, toDecimal128(0, 14) AS verified_saved,
    toUInt32(1) AS lines, least(estimated_lines, 1) AS estimated_lines
FROM kubernetes_cost_slot
WHERE /*if past*/{as_of:String} = '' AND/*end*/ org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND kind != 'usage'
    AND estimated = 0 AND edition IN
    (
        SELECT edition FROM cost_day FINAL
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    )
/*end*/
/*if no past and no charges*/UNION ALL/*end*/
/*if past*/
SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category,
    /*if resource*/resource_uid/*else '' AS resource_uid end*/,
    /*if line_tags*/own_tags,/*end*/
    /*if whose*/if(billing_account_id = '', cloud_account_id, billing_account_id) AS billing_account, sub_account_id AS sub_account,/*end*/
    /*if divided and clustered*/'' AS cluster, '' AS namespace,/*end*/ /*if divided*/emptyArrayString() AS owner_uids,/*end*/ /*if divided and carried*/CAST(map(), 'Map(String, String)') AS pod_labels,/*end*/
    billed_cost, effective_cost, contracted_cost, list_cost, toDecimal128(0, 14) AS saved,
    toDecimal128(0, 14) AS estimated_saved, toDecimal128(0, 14) AS observed_saved, toDecimal128(0, 14) AS verified_saved,
    lines, estimated_lines
FROM /*if resource*/cost_daily_slot/*else cost_service_daily_slot end*/
WHERE {as_of:String} != '' AND org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    AND edition IN
    (
        SELECT if(published_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC'), edition, before_edition)
        FROM cost_day FINAL
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
            AND (published_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC')
                OR before_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC') AND before_generation != 0)
    )
UNION ALL
SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category,
    /*if resource*/resource_uid/*else '' AS resource_uid end*/,
    /*if line_tags*/own_tags,/*end*/
    /*if whose*/if(billing_account_id = '', cloud_account_id, billing_account_id) AS billing_account, sub_account_id AS sub_account,/*end*/
    /*if divided and clustered*/'' AS cluster, '' AS namespace,/*end*/ /*if divided*/emptyArrayString() AS owner_uids,/*end*/ /*if divided and carried*/CAST(map(), 'Map(String, String)') AS pod_labels,/*end*/
    billed_cost, effective_cost, contracted_cost, list_cost, toDecimal128(0, 14) AS saved,
    toDecimal128(0, 14) AS estimated_saved, toDecimal128(0, 14) AS observed_saved, toDecimal128(0, 14) AS verified_saved,
    lines, estimated_lines
FROM cost_daily_kept FINAL
WHERE {as_of:String} != '' AND org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    AND edition IN
    (
        SELECT argMax(edition, generation)
        FROM cost_day_kept FINAL
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
            AND published_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC')
            AND (cloud_account_id, day) NOT IN
            (
                SELECT cloud_account_id, day
                FROM cost_day FINAL
                WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
                    AND (published_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC')
                        OR before_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC') AND before_generation != 0)
            )
        GROUP BY cloud_account_id, day
    )
/*if no charges*/UNION ALL/*end*/
/*end*/
/*if no charges*/
SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, 'Usage' AS charge_category,
    /*if resource*/resource_uid/*else '' AS resource_uid end*/,
    /*if line_tags*/toLowCardinality('') AS own_tags,/*end*/
    /*if whose*/cloud_account_id AS billing_account, toLowCardinality('') AS sub_account,/*end*/
    /*if divided and clustered*/'' AS cluster, '' AS namespace,/*end*/ /*if divided*/emptyArrayString() AS owner_uids,/*end*/ /*if divided and carried*/CAST(map(), 'Map(String, String)') AS pod_labels,/*end*/
    toDecimal128(0, 14) AS billed_cost, toDecimal128(0, 14) AS effective_cost, toDecimal128(0, 14) AS contracted_cost,
    toDecimal128(0, 14) AS list_cost,
    saved, ifNull(estimated, toDecimal128(0, 14)) AS estimated_saved, ifNull(observed, toDecimal128(0, 14)) AS observed_saved,
    ifNull(verified, toDecimal128(0, 14)) AS verified_saved,
    0 AS lines, 0 AS estimated_lines
FROM saving_daily FINAL
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
/*end*/
