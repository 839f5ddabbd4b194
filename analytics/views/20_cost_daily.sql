-- Costs by day and every dimension, including the resource: one row per day, account, provider, region, service, resource type, purchase
-- type, charge category, resource, billing account and sub-account that has bill lines. Lines without a resource also have one row per set
-- of own tags (own_tags, JSON). The costs are sums of the view cost_lines, in US dollars.
-- cloud_account_id is the usage account: the connected account of the line's sub-account, otherwise the billed account. An empty text
-- means none. Whole days are recomputed at once, within a second of a commit. Always filter by org_id.
CREATE OR REPLACE VIEW cost_daily AS
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
    s.resource_uid AS resource_uid,
    s.own_tags AS own_tags,
    s.billed_cost AS billed_cost,
    s.effective_cost AS effective_cost,
    s.contracted_cost AS contracted_cost,
    s.list_cost AS list_cost,
    s.lines AS lines,
    s.estimated_lines AS estimated_lines
FROM (SELECT org_id, edition FROM cost_day FINAL) AS d
INNER JOIN (SELECT *, edition, CAST(cloud_account_id, 'String') AS usage_account_id FROM cost_daily_slot) AS s ON s.org_id = d.org_id AND s.edition = d.edition
