-- kubernetes_cost_slot by workload, without machines and pods: what reports by cluster, namespace, workload and label read. Labels
-- without those that differ from pod to pod of one workload. pods counts those that cost something or were there. Written by the cost rollup.
CREATE TABLE IF NOT EXISTS kubernetes_workload_slot
(
    org_id           LowCardinality(String),
    day              Date32,
    cloud_account_id LowCardinality(String),
    slot             UInt8,
    generation       UInt64,
    cluster_uid      LowCardinality(String),
    namespace        LowCardinality(String),
    controller_kind  LowCardinality(String),
    controller       String,
    kind             LowCardinality(String),
    component        LowCardinality(String),
    estimated        UInt8,
    labels_id        UInt64,
    labels           Map(LowCardinality(String), String) CODEC(ZSTD),
    billed_cost      Decimal(38, 14),
    effective_cost   Decimal(38, 14),
    contracted_cost  Decimal(38, 14),
    list_cost        Decimal(38, 14),
    requested        Float64,
    used             Float64,
    allocated        Float64,
    measured         Float64,
    pods             UInt32,
    edition          UInt64 MATERIALIZED sipHash64(cloud_account_id, day, generation)
)
ENGINE = ReplacingMergeTree(generation)
PARTITION BY toYYYYMM(day)
ORDER BY (org_id, day, cloud_account_id, slot, cluster_uid, namespace, controller_kind, controller, kind, component, estimated, labels_id)
SETTINGS non_replicated_deduplication_window = 0
