-- What nodes of clusters were there, interval by interval: one row a (cluster, node, begin of the interval), of {seconds} within one
-- hour. resource_uid is the machine as bills name it. What its price is for, in millionths: cpu_ppm processors, gpu_ppm accelerators,
-- the rest memory. price is its hour by the price tables, US dollars, 0 where they do not know it. An empty node says that there was none. The same again
-- replaces itself. Read it with FINAL.
-- Written by the kubernetes actor.
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
