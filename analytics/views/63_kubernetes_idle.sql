-- How idle cluster costs are distributed, by day: one row per day, account, cluster, node, pod and its controller, kind and estimated, in
-- US dollars. Kind workload is what a pod gets, for processors, memory and accelerators in proportion to its cost of each on that day;
-- kind idle is taken from the idle costs of kubernetes_costs. So each cost column adds up to 0. estimated is 1 for idle costs from the
-- price tables. Always filter by org_id and a range of days.
CREATE OR REPLACE VIEW kubernetes_idle AS
SELECT s.org_id AS org_id, s.day AS day, s.cloud_account_id AS cloud_account_id, s.cluster_uid AS cluster_uid, s.node AS node,
    s.namespace AS namespace, s.controller_kind AS controller_kind, s.controller AS controller, s.pod AS pod, s.kind AS kind,
    s.estimated AS estimated, s.labels AS labels,
    s.cpu_idle_billed_cost + s.memory_idle_billed_cost + s.gpu_idle_billed_cost AS billed_cost,
    s.cpu_idle_effective_cost + s.memory_idle_effective_cost + s.gpu_idle_effective_cost AS effective_cost,
    s.cpu_idle_contracted_cost + s.memory_idle_contracted_cost + s.gpu_idle_contracted_cost AS contracted_cost,
    s.cpu_idle_list_cost + s.memory_idle_list_cost + s.gpu_idle_list_cost AS list_cost
FROM (SELECT org_id, edition FROM cost_day FINAL) AS d
INNER JOIN kubernetes_idle_slot AS s ON s.org_id = d.org_id AND s.edition = d.edition
