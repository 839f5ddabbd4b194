-- Volume claims, and services with a load balancer: one row per object and start of an interval. kind is claim or service, resource_uid
-- the disk or load balancer in bills, pods those that mount the claim. The same key replaces the row. Read it with FINAL. Written by the
-- kubernetes actor.
CREATE TABLE IF NOT EXISTS kubernetes_object
(
    org_id           LowCardinality(String),
    cloud_account_id LowCardinality(String),
    day              Date32,
    cluster_uid      LowCardinality(String),
    kind             LowCardinality(String),
    namespace        LowCardinality(String),
    name             String,
    `from`           DateTime('UTC') CODEC(DoubleDelta, ZSTD),
    seconds          UInt16,
    resource_uid     String,
    pods             Array(String) CODEC(ZSTD),
    x_Version        UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
PARTITION BY toYYYYMM(day)
ORDER BY (org_id, cloud_account_id, day, cluster_uid, kind, namespace, name, `from`)
SETTINGS non_replicated_deduplication_window = 0
