-- kubernetes_cost_slot by workload, without machines and pods: what reports by cluster, namespace, workload and label read. What is for
-- processors, memory and so on stands side by side, not row by row: a report reads a third of the rows. The costs without a component
-- are of all components. Labels without those that differ from pod to pod of one workload. Hours are of a core, GiB or accelerator.
-- pods counts those that cost something or were there. Written by the cost rollup.
CREATE TABLE IF NOT EXISTS kubernetes_workload_slot
(
    org_id                        LowCardinality(String),
    day                           Date32,
    cloud_account_id              LowCardinality(String),
    slot                          UInt8,
    generation                    UInt64,
    cluster_uid                   LowCardinality(String),
    namespace                     LowCardinality(String),
    controller_kind               LowCardinality(String),
    controller                    String,
    kind                          LowCardinality(String),
    estimated                     UInt8,
    labels_id                     UInt64,
    labels                        Map(LowCardinality(String), String) CODEC(ZSTD),
    billed_cost                   Decimal(38, 14),
    effective_cost                Decimal(38, 14),
    contracted_cost               Decimal(38, 14),
    list_cost                     Decimal(38, 14),
    cpu_billed_cost               Decimal(38, 14),
    cpu_effective_cost            Decimal(38, 14),
    cpu_contracted_cost           Decimal(38, 14),
    cpu_list_cost                 Decimal(38, 14),
    memory_billed_cost            Decimal(38, 14),
    memory_effective_cost         Decimal(38, 14),
    memory_contracted_cost        Decimal(38, 14),
    memory_list_cost              Decimal(38, 14),
    gpu_billed_cost               Decimal(38, 14),
    gpu_effective_cost            Decimal(38, 14),
    gpu_contracted_cost           Decimal(38, 14),
    gpu_list_cost                 Decimal(38, 14),
    storage_billed_cost           Decimal(38, 14),
    storage_effective_cost        Decimal(38, 14),
    storage_contracted_cost       Decimal(38, 14),
    storage_list_cost             Decimal(38, 14),
    load_balancer_billed_cost     Decimal(38, 14),
    load_balancer_effective_cost  Decimal(38, 14),
    load_balancer_contracted_cost Decimal(38, 14),
    load_balancer_list_cost       Decimal(38, 14),
    network_billed_cost           Decimal(38, 14),
    network_effective_cost        Decimal(38, 14),
    network_contracted_cost       Decimal(38, 14),
    network_list_cost             Decimal(38, 14),
    cpu_requested                 Float64,
    cpu_used                      Float64,
    cpu_allocated                 Float64,
    cpu_measured                  Float64,
    memory_requested              Float64,
    memory_used                   Float64,
    memory_allocated              Float64,
    memory_measured               Float64,
    gpu_requested                 Float64,
    pods                          UInt32,
    edition                       UInt64 MATERIALIZED sipHash64(cloud_account_id, day, generation)
)
ENGINE = ReplacingMergeTree(generation)
PARTITION BY toYYYYMM(day)
ORDER BY (org_id, day, cloud_account_id, slot, cluster_uid, namespace, controller_kind, controller, kind, estimated, labels_id)
SETTINGS non_replicated_deduplication_window = 0
