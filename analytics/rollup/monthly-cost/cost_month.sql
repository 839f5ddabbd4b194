-- Adds up the days of the months {months} of accounts by resource into slot 2 (months of {behind} into slot 3), under {generation}.
INSERT INTO cost_daily_slot
    (org_id, day, cloud_account_id, slot, generation, provider, region, service_name, resource_type, purchase_type, charge_category,
    resource_uid, own_tags, billing_account_id, sub_account_id, billed_cost, effective_cost, contracted_cost, list_cost, lines, estimated_lines)
SELECT
    s.org_id AS org_id,
    toDate32(toStartOfMonth(s.day)) AS month,
    s.cloud_account_id AS cloud_account_id,
    toUInt8(2 + ((org_id, if(s.billing_account_id = '', s.cloud_account_id, s.billing_account_id), month) IN {behind:Array(Tuple(String, String, Date32))})) AS slot_of,
    {generation:UInt64} AS generation_of,
    s.provider, s.region, s.service_name, s.resource_type, s.purchase_type, s.charge_category, s.resource_uid, s.own_tags,
    s.billing_account_id, s.sub_account_id,
    sum(s.billed_cost), sum(s.effective_cost), sum(s.contracted_cost), sum(s.list_cost), sum(s.lines), sum(s.estimated_lines)
FROM cost_daily_slot AS s
WHERE s.day BETWEEN {first:Date32} AND {last:Date32}
    AND s.org_id IN arrayMap(m -> m.1, {months:Array(Tuple(String, String, Date32))})
    AND (s.org_id, s.edition) IN
    (
        SELECT org_id, edition FROM cost_day FINAL
        WHERE day BETWEEN {first:Date32} AND {last:Date32}
            AND (org_id, cloud_account_id, toDate32(toStartOfMonth(day))) IN {months:Array(Tuple(String, String, Date32))}
    )
GROUP BY
    s.org_id, month, s.cloud_account_id,
    s.provider, s.region, s.service_name, s.resource_type, s.purchase_type, s.charge_category, s.resource_uid, s.own_tags, s.billing_account_id, s.sub_account_id
