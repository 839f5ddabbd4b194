-- Adds up by workload what kubernetes_cost wrote for the days {days} into slot {slot} or the next one under {generation}, and what
-- kubernetes_idle distributed of it.
INSERT INTO kubernetes_workload_slot
    (org_id, day, cloud_account_id, slot, generation, cluster_uid, namespace, controller_kind, controller, kind, estimated,
     labels_id, labels, billed_cost, effective_cost, contracted_cost, list_cost,
     cpu_billed_cost, cpu_effective_cost, cpu_contracted_cost, cpu_list_cost, memory_billed_cost, memory_effective_cost,
     memory_contracted_cost, memory_list_cost, gpu_billed_cost, gpu_effective_cost, gpu_contracted_cost, gpu_list_cost,
     storage_billed_cost, storage_effective_cost, storage_contracted_cost, storage_list_cost, load_balancer_billed_cost,
     load_balancer_effective_cost, load_balancer_contracted_cost, load_balancer_list_cost, network_billed_cost,
     network_effective_cost, network_contracted_cost, network_list_cost,
     cpu_idle_billed_cost, cpu_idle_effective_cost, cpu_idle_contracted_cost, cpu_idle_list_cost, memory_idle_billed_cost,
     memory_idle_effective_cost, memory_idle_contracted_cost, memory_idle_list_cost, gpu_idle_billed_cost,
     gpu_idle_effective_cost, gpu_idle_contracted_cost, gpu_idle_list_cost,
     cpu_requested, cpu_used, cpu_allocated, cpu_measured, memory_requested, memory_used, memory_allocated, memory_measured,
     gpu_requested, pods)
SELECT org_id, day, cloud_account_id, slot, {generation:UInt64} AS generation, cluster_uid, namespace, controller_kind,
    controller, if(kind = 'usage', 'workload', kind) AS kind_of, estimated,
    sipHash64(arraySort(arrayZip(mapKeys(common), mapValues(common)))) AS labels_id, any(common) AS labels,
    sum(billed_cost), sum(effective_cost), sum(contracted_cost), sum(list_cost),
    sumIf(billed_cost, component = 'cpu'), sumIf(effective_cost, component = 'cpu'), sumIf(contracted_cost, component = 'cpu'),
    sumIf(list_cost, component = 'cpu'), sumIf(billed_cost, component = 'memory'), sumIf(effective_cost, component = 'memory'),
    sumIf(contracted_cost, component = 'memory'), sumIf(list_cost, component = 'memory'), sumIf(billed_cost, component = 'gpu'),
    sumIf(effective_cost, component = 'gpu'), sumIf(contracted_cost, component = 'gpu'), sumIf(list_cost, component = 'gpu'),
    sumIf(billed_cost, component = 'storage'), sumIf(effective_cost, component = 'storage'),
    sumIf(contracted_cost, component = 'storage'), sumIf(list_cost, component = 'storage'),
    sumIf(billed_cost, component = 'load_balancer'), sumIf(effective_cost, component = 'load_balancer'),
    sumIf(contracted_cost, component = 'load_balancer'), sumIf(list_cost, component = 'load_balancer'),
    sumIf(billed_cost, component = 'network'), sumIf(effective_cost, component = 'network'),
    sumIf(contracted_cost, component = 'network'), sumIf(list_cost, component = 'network'),
    sumForEach(idle)[1], sumForEach(idle)[2], sumForEach(idle)[3], sumForEach(idle)[4], sumForEach(idle)[5],
    sumForEach(idle)[6], sumForEach(idle)[7], sumForEach(idle)[8], sumForEach(idle)[9], sumForEach(idle)[10],
    sumForEach(idle)[11], sumForEach(idle)[12],
    sumIf(requested, component = 'cpu'), sumIf(used, component = 'cpu'), sumIf(allocated, component = 'cpu'),
    sumIf(measured, component = 'cpu'), sumIf(requested, component = 'memory'), sumIf(used, component = 'memory'),
    sumIf(allocated, component = 'memory'), sumIf(measured, component = 'memory'), sumIf(requested, component = 'gpu'),
    uniqExactIf(pod, pod != '') AS pods
FROM
(
    SELECT *, mapFilter((k, v) -> k NOT IN ('pod-template-hash', 'controller-revision-hash', 'statefulset.kubernetes.io/pod-name',
        'apps.kubernetes.io/pod-index', 'batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name', 'controller-uid', 'job-name',
        'pod-template-generation', 'batch.kubernetes.io/job-completion-index'), labels) AS common
    FROM
    (
        SELECT org_id, day, cloud_account_id, slot, generation, cluster_uid, namespace, controller_kind, controller, pod, kind, estimated,
            labels, component, billed_cost, effective_cost, contracted_cost, list_cost, requested, used, allocated, measured,
            CAST([], 'Array(Decimal(38, 14))') AS idle
        FROM kubernetes_cost_slot
        UNION ALL
        SELECT org_id, day, cloud_account_id, slot, generation, cluster_uid, namespace, controller_kind, controller, '', kind, estimated,
            labels, '', 0, 0, 0, 0, 0, 0, 0, 0,
            [cpu_idle_billed_cost, cpu_idle_effective_cost, cpu_idle_contracted_cost, cpu_idle_list_cost,
             memory_idle_billed_cost, memory_idle_effective_cost, memory_idle_contracted_cost, memory_idle_list_cost,
             gpu_idle_billed_cost, gpu_idle_effective_cost, gpu_idle_contracted_cost, gpu_idle_list_cost]
        FROM kubernetes_idle_slot
    )
    WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))} AND slot IN ({slot:UInt8}, {slot:UInt8} + 1)
        AND generation = {generation:UInt64}
)
GROUP BY org_id, day, cloud_account_id, slot, cluster_uid, namespace, controller_kind, controller, kind_of, estimated, labels_id
