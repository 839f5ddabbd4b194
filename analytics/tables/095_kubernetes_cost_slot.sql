-- Bills of what clusters consist of, divided among users: one row per part of a row of cost_daily_slot, in US dollars. Computed with it
-- under the same slot and generation, and published by the same row of cost_day. The parts of a (day, account, resource and every other
-- dimension) add up to it exactly.
-- kind: workload, used by a pod, claim or service; idle, not used; overhead, of the cluster as a whole; unmeasured, hours without data on
-- usage; usage, only quantities, in hours of a core, GiB or accelerator. measured are the requested hours whose use was measured.
-- component: cpu, memory, gpu, network, storage, load_balancer, control_plane. estimated is 1 if priced from the price tables, because
-- there is no bill. Read it through the view kubernetes_costs. Written by the cost rollup.
CREATE TABLE IF NOT EXISTS kubernetes_cost_slot
(
    org_id           LowCardinality(String),
    day              Date32,
    cloud_account_id LowCardinality(String),
    slot             UInt8,
    generation       UInt64,
    provider         LowCardinality(String),
    region           LowCardinality(String),
    service_name     LowCardinality(String),
    resource_type    LowCardinality(String),
    purchase_type    LowCardinality(String),
    charge_category  LowCardinality(String),
    resource_uid     String,
    cluster_uid      LowCardinality(String),
    node             String,
    namespace        LowCardinality(String),
    controller_kind  LowCardinality(String),
    controller       String,
    pod              String,
    kind             LowCardinality(String),
    component        LowCardinality(String),
    estimated        UInt8,
    labels           Map(LowCardinality(String), String) CODEC(ZSTD),
    billed_cost      Decimal(38, 14),
    effective_cost   Decimal(38, 14),
    contracted_cost  Decimal(38, 14),
    list_cost        Decimal(38, 14),
    estimated_lines  UInt32,
    requested        Float64,
    used             Float64,
    allocated        Float64,
    measured         Float64,
    edition          UInt64 MATERIALIZED sipHash64(cloud_account_id, day, generation)
)
ENGINE = ReplacingMergeTree(generation)
PARTITION BY toYYYYMM(day)
ORDER BY (org_id, day, cloud_account_id, slot, cluster_uid, resource_uid, service_name, charge_category, purchase_type, region, resource_type, provider, node, namespace, controller_kind, controller, pod, kind, component, estimated)
SETTINGS non_replicated_deduplication_window = 0
