-- Idle costs of clusters, distributed by day to users, in US dollars: one row per machine, pod and its controller, separately for
-- processors, memory and accelerators, in proportion to their costs of each on that day. kind workload is added to a pod, kind idle is
-- taken from idle costs, so each column adds up to 0 per cluster and day. Parts are rounded down at 14 decimals; the largest gets the
-- remainder. estimated is 1 for idle costs from the price tables. Costs of what nobody used stay idle. Computed from kubernetes_cost_slot
-- under the same slot and generation, and published by the same row of cost_day. Written by the cost rollup.
CREATE TABLE IF NOT EXISTS kubernetes_idle_slot
(
    org_id                      LowCardinality(String),
    day                         Date32,
    cloud_account_id            LowCardinality(String),
    slot                        UInt8,
    generation                  UInt64,
    cluster_uid                 LowCardinality(String),
    node                        String,
    namespace                   LowCardinality(String),
    controller_kind             LowCardinality(String),
    controller                  String,
    pod                         String,
    kind                        LowCardinality(String),
    estimated                   UInt8,
    labels                      Map(LowCardinality(String), String) CODEC(ZSTD),
    cpu_idle_billed_cost        Decimal(38, 14),
    cpu_idle_effective_cost     Decimal(38, 14),
    cpu_idle_contracted_cost    Decimal(38, 14),
    cpu_idle_list_cost          Decimal(38, 14),
    memory_idle_billed_cost     Decimal(38, 14),
    memory_idle_effective_cost  Decimal(38, 14),
    memory_idle_contracted_cost Decimal(38, 14),
    memory_idle_list_cost       Decimal(38, 14),
    gpu_idle_billed_cost        Decimal(38, 14),
    gpu_idle_effective_cost     Decimal(38, 14),
    gpu_idle_contracted_cost    Decimal(38, 14),
    gpu_idle_list_cost          Decimal(38, 14),
    edition                     UInt64 MATERIALIZED sipHash64(cloud_account_id, day, generation)
)
ENGINE = ReplacingMergeTree(generation)
PARTITION BY toYYYYMM(day)
ORDER BY (org_id, day, cloud_account_id, slot, cluster_uid, node, namespace, controller_kind, controller, pod, kind, estimated)
SETTINGS non_replicated_deduplication_window = 0
