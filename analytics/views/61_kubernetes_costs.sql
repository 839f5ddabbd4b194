-- Cluster costs by user: one row per day, account, resource of the bill, node, namespace, workload, pod, kind and component, in US
-- dollars. kind is workload, idle, overhead or unmeasured; rows of kind usage have only quantities: hours of a core, GiB or accelerator
-- that were requested, used and allocated, and requested hours whose use was measured. estimated is 1 if priced from the price tables
-- because there is no bill yet; all other costs of a day add up to the bills of what clusters consist of. Always filter by org_id and a
-- range of days.
CREATE OR REPLACE VIEW kubernetes_costs AS
SELECT s.org_id AS org_id, s.day AS day, s.cloud_account_id AS cloud_account_id, s.cluster_uid AS cluster_uid, s.node AS node,
    s.namespace AS namespace, s.controller_kind AS controller_kind, s.controller AS controller, s.pod AS pod, s.kind AS kind,
    s.component AS component, s.estimated AS estimated, s.labels AS labels, s.provider AS provider, s.region AS region,
    s.service_name AS service_name, s.resource_type AS resource_type, s.purchase_type AS purchase_type,
    s.charge_category AS charge_category, s.resource_uid AS resource_uid, s.billed_cost AS billed_cost,
    s.effective_cost AS effective_cost, s.contracted_cost AS contracted_cost, s.list_cost AS list_cost,
    s.requested AS requested, s.used AS used, s.allocated AS allocated, s.measured AS measured
FROM (SELECT org_id, edition FROM cost_day FINAL) AS d
INNER JOIN kubernetes_cost_slot AS s ON s.org_id = d.org_id AND s.edition = d.edition
