-- Copies the sums that the days {days} had before the current ones: the next recomputation overwrites them.
INSERT INTO cost_daily_kept
    (org_id, day, cloud_account_id, generation, provider, region, service_name, resource_type, purchase_type, charge_category,
    resource_uid, own_tags, billing_account_id, sub_account_id, billed_cost, effective_cost, contracted_cost, list_cost, lines, estimated_lines, until)
SELECT
    s.org_id AS org_id, s.day AS day, s.cloud_account_id AS cloud_account_id, s.generation AS generation,
    s.provider, s.region, s.service_name, s.resource_type, s.purchase_type, s.charge_category, s.resource_uid, s.own_tags,
    s.billing_account_id, s.sub_account_id,
    s.billed_cost, s.effective_cost, s.contracted_cost, s.list_cost, s.lines, s.estimated_lines,
    d.published_at AS until
FROM cost_daily_slot AS s
INNER JOIN
(
    SELECT org_id, before_edition, published_at
    FROM cost_day FINAL
    WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
) AS d ON d.org_id = s.org_id AND d.before_edition = s.edition
WHERE (s.org_id, s.day) IN arrayMap(d -> (d.1, d.3), {days:Array(Tuple(String, String, Date32))})
