-- Days, newest first, with idle cluster costs that were not distributed to pods that should have a part: computed by a version without
-- this, or from an older copy of the sums. One row per day, with the exports its sums were computed from and the number of pods known.
SELECT d.org_id AS org_id, d.cloud_account_id AS cloud_account_id, toString(d.day) AS day, d.bills AS bills, f.pods AS pods
FROM cost_day AS d FINAL
INNER JOIN
(
    SELECT org_id, cloud_account_id, day, max(lacks) AS lacks, sum(of_pods) AS pods
    FROM
    (
        SELECT org_id, cloud_account_id, day, cluster_uid,
            sumForEachIf([cpu_billed_cost, cpu_effective_cost, cpu_contracted_cost, cpu_list_cost, memory_billed_cost, memory_effective_cost,
                memory_contracted_cost, memory_list_cost, gpu_billed_cost, gpu_effective_cost, gpu_contracted_cost, gpu_list_cost],
                kind = 'idle') AS idle,
            sumForEachIf(arrayMap(c -> greatest(c, 0), [cpu_billed_cost, cpu_effective_cost, cpu_contracted_cost, cpu_list_cost,
                memory_billed_cost, memory_effective_cost, memory_contracted_cost, memory_list_cost, gpu_billed_cost, gpu_effective_cost,
                gpu_contracted_cost, gpu_list_cost]), kind = 'workload') AS used,
            sum(arraySum(arrayMap(c -> abs(c), [cpu_idle_billed_cost, cpu_idle_effective_cost, cpu_idle_contracted_cost, cpu_idle_list_cost,
                memory_idle_billed_cost, memory_idle_effective_cost, memory_idle_contracted_cost, memory_idle_list_cost,
                gpu_idle_billed_cost, gpu_idle_effective_cost, gpu_idle_contracted_cost, gpu_idle_list_cost]))) AS handed,
            handed = 0 AND arrayExists((i, u) -> i != 0 AND u > 0, arrayResize(idle, 12), arrayResize(used, 12)) AS lacks,
            sum(kubernetes_namespace_slot.pods) AS of_pods
        FROM kubernetes_namespace_slot
        WHERE edition IN
        (
            SELECT edition FROM cost_day FINAL
            WHERE (org_id, cloud_account_id) IN (SELECT DISTINCT org_id, cloud_account_id FROM kubernetes_namespace_slot)
        )
        GROUP BY org_id, cloud_account_id, day, cluster_uid
    )
    GROUP BY org_id, cloud_account_id, day
    HAVING lacks
) AS f ON f.org_id = d.org_id AND f.cloud_account_id = d.cloud_account_id AND f.day = d.day
WHERE (d.org_id, d.cloud_account_id) IN (SELECT DISTINCT org_id, cloud_account_id FROM kubernetes_namespace_slot)
ORDER BY d.day DESC, org_id, cloud_account_id
LIMIT {limit:UInt32}
