-- Nodes of clusters: one row per cluster, node and start of an interval of {seconds} within one hour. resource_uid is the machine in
-- bills. cpu_ppm and gpu_ppm are the parts of its price for processors and accelerators, in millionths; the rest is for memory. price is
-- its hourly price from the price tables in US dollars, 0 if unknown. An empty node means there was none. The same key replaces the row.
-- Read it with FINAL. Written by the kubernetes actor.
CREATE TABLE IF NOT EXISTS kubernetes_node
(
    org_id           LowCardinality(String),
    cloud_account_id LowCardinality(String),
    day              Date32,
    cluster_uid      LowCardinality(String),
    node             String,
    `from`           DateTime('UTC') CODEC(DoubleDelta, ZSTD),
    seconds          UInt16,
    resource_uid     String,
    provider         LowCardinality(String),
    region           LowCardinality(String),
    instance_type    LowCardinality(String),
    cpu_millicores   UInt32,
    memory_kib       UInt64,
    gpu_millis       UInt32,
    cpu_ppm          UInt32,
    gpu_ppm          UInt32,
    price            Decimal(38, 14),
    x_Version        UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
PARTITION BY toYYYYMM(day)
ORDER BY (org_id, cloud_account_id, day, cluster_uid, node, `from`)
SETTINGS non_replicated_deduplication_window = 0
