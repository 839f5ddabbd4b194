-- Costs by day and every dimension except the resource: one row per day, account, provider, region, service, resource type, purchase type,
-- charge category, billing account and sub-account that has bill lines. The same sums as cost_daily, in US dollars, replaced at the same
-- moment. Use this view unless you need resources: it is much smaller. Always filter by org_id.
CREATE OR REPLACE VIEW cost_service_daily AS
SELECT
    s.org_id AS org_id,
    s.day AS day,
    s.usage_account_id AS cloud_account_id,
    coalesce(nullIf(toString(s.billing_account_id), ''), s.usage_account_id) AS billing_account_id,
    s.sub_account_id AS sub_account_id,
    if(s.provider IN ('', 'aws', 'gcp', 'azure'), s.provider, 'other') AS provider,
    transform(toString(s.provider), ['aws', 'gcp', 'azure', 'other'], ['AWS', 'Google Cloud', 'Microsoft', ''], toString(s.provider)) AS service_provider,
    s.region AS region,
    s.service_name AS service_name,
    s.resource_type AS resource_type,
    s.purchase_type AS purchase_type,
    s.charge_category AS charge_category,
    s.billed_cost AS billed_cost,
    s.effective_cost AS effective_cost,
    s.contracted_cost AS contracted_cost,
    s.list_cost AS list_cost,
    s.lines AS lines,
    s.estimated_lines AS estimated_lines
FROM (SELECT org_id, edition FROM cost_day FINAL) AS d
INNER JOIN (SELECT *, edition, CAST(cloud_account_id, 'String') AS usage_account_id FROM cost_service_daily_slot) AS s ON s.org_id = d.org_id AND s.edition = d.edition
