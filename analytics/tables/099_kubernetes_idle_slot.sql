-- What was idle of clusters, handed out day by day to those who used them: of processors, memory and accelerators apart, as what they
-- used of each cost on the day, by machine, pod and what runs it. kind workload is what is added to them, idle what is taken from idle
-- costs instead, so each column of a cluster's day adds up to 0. Cut at the 14th place, the largest takes what is left over. estimated 1:
-- of idle costs by the price tables. What nobody used anything of stays idle. Worked out of kubernetes_cost_slot under the same slot and
-- generation, published by the same row of cost_day. Written by the cost rollup.
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
