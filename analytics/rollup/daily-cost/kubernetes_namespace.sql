-- Adds up by namespace what kubernetes_workload wrote for the days {days} into slot {slot} or the next one under {generation}.
INSERT INTO kubernetes_namespace_slot
    (org_id, day, cloud_account_id, slot, generation, cluster_uid, namespace, kind, estimated, billed_cost, effective_cost,
     contracted_cost, list_cost, cpu_billed_cost, cpu_effective_cost, cpu_contracted_cost, cpu_list_cost,
     memory_billed_cost, memory_effective_cost, memory_contracted_cost, memory_list_cost, gpu_billed_cost,
     gpu_effective_cost, gpu_contracted_cost, gpu_list_cost, storage_billed_cost, storage_effective_cost,
     storage_contracted_cost, storage_list_cost, load_balancer_billed_cost, load_balancer_effective_cost,
     load_balancer_contracted_cost, load_balancer_list_cost, network_billed_cost, network_effective_cost,
     network_contracted_cost, network_list_cost,
     cpu_idle_billed_cost, cpu_idle_effective_cost, cpu_idle_contracted_cost, cpu_idle_list_cost, memory_idle_billed_cost,
     memory_idle_effective_cost, memory_idle_contracted_cost, memory_idle_list_cost, gpu_idle_billed_cost,
     gpu_idle_effective_cost, gpu_idle_contracted_cost, gpu_idle_list_cost,
     cpu_requested, cpu_used, cpu_allocated, cpu_measured, memory_requested,
     memory_used, memory_allocated, memory_measured, gpu_requested, pods)
SELECT org_id, day, cloud_account_id, slot, generation, cluster_uid, namespace, kind, estimated,
    sum(billed_cost), sum(effective_cost), sum(contracted_cost), sum(list_cost), sum(cpu_billed_cost),
    sum(cpu_effective_cost), sum(cpu_contracted_cost), sum(cpu_list_cost), sum(memory_billed_cost),
    sum(memory_effective_cost), sum(memory_contracted_cost), sum(memory_list_cost), sum(gpu_billed_cost),
    sum(gpu_effective_cost), sum(gpu_contracted_cost), sum(gpu_list_cost), sum(storage_billed_cost),
    sum(storage_effective_cost), sum(storage_contracted_cost), sum(storage_list_cost), sum(load_balancer_billed_cost),
    sum(load_balancer_effective_cost), sum(load_balancer_contracted_cost), sum(load_balancer_list_cost),
    sum(network_billed_cost), sum(network_effective_cost), sum(network_contracted_cost), sum(network_list_cost),
    sum(cpu_idle_billed_cost), sum(cpu_idle_effective_cost), sum(cpu_idle_contracted_cost), sum(cpu_idle_list_cost),
    sum(memory_idle_billed_cost), sum(memory_idle_effective_cost), sum(memory_idle_contracted_cost), sum(memory_idle_list_cost),
    sum(gpu_idle_billed_cost), sum(gpu_idle_effective_cost), sum(gpu_idle_contracted_cost), sum(gpu_idle_list_cost),
    sum(cpu_requested), sum(cpu_used), sum(cpu_allocated), sum(cpu_measured), sum(memory_requested), sum(memory_used),
    sum(memory_allocated), sum(memory_measured), sum(gpu_requested), sum(pods)
FROM kubernetes_workload_slot
WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))} AND slot IN ({slot:UInt8}, {slot:UInt8} + 1)
    AND generation = {generation:UInt64}
GROUP BY org_id, day, cloud_account_id, slot, generation, cluster_uid, namespace, kind, estimated
