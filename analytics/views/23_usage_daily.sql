-- What was used and paid for by day: one row per day, account, resource, service, component, purchase type, pricing category, charge
-- category, commitment and its status, unit, billing account and sub-account that has bill lines. `component` is the purpose of the lines:
-- compute, storage, data_transfer and so on, or other. Costs are US dollars and add up to those of cost_daily; `hours` are hours of use,
-- `quantity` is in `unit`. As fresh as cost_daily. Always filter by org_id.
CREATE OR REPLACE VIEW usage_daily AS
SELECT
    s.org_id AS org_id,
    s.day AS day,
    s.usage_account_id AS cloud_account_id,
    coalesce(nullIf(toString(s.billing_account_id), ''), s.usage_account_id) AS billing_account_id,
    s.sub_account_id AS sub_account_id,
    s.resource_uid AS resource_uid,
    s.service_name AS service_name,
    s.component AS component,
    s.purchase_type AS purchase_type,
    s.pricing_category AS pricing_category,
    s.charge_category AS charge_category,
    s.commitment_id AS commitment_id,
    s.commitment_status AS commitment_status,
    s.unit AS unit,
    s.hours AS hours,
    s.quantity AS quantity,
    s.billed_cost AS billed_cost,
    s.effective_cost AS effective_cost,
    s.contracted_cost AS contracted_cost,
    s.list_cost AS list_cost
FROM (SELECT org_id, edition FROM cost_day FINAL) AS d
INNER JOIN (SELECT *, edition, CAST(cloud_account_id, 'String') AS usage_account_id FROM usage_daily_slot) AS s ON s.org_id = d.org_id AND s.edition = d.edition
