-- kubernetes_node by day: one row per cluster, node and day, in place of its intervals. hours has one entry per hour with
-- data: moment is the start of the last interval in it, whose machine, place and price count; began has a bit for each minute in which an
-- interval began; seconds, cpu_there (thousandths of a core), memory_there (KiB) and gpu_there (thousandths), these three times seconds,
-- are sums. Written by the retention sweep.
CREATE TABLE IF NOT EXISTS kubernetes_node_day
(
    org_id                 LowCardinality(String),
    cloud_account_id       LowCardinality(String),
    day                    Date32,
    cluster_uid            LowCardinality(String),
    node                   String,
    `hours.moment`         Array(DateTime('UTC')) CODEC(ZSTD),
    `hours.began`          Array(UInt64) CODEC(ZSTD),
    `hours.seconds`        Array(UInt32) CODEC(ZSTD),
    `hours.resource_uid`   Array(String) CODEC(ZSTD),
    `hours.provider`       Array(LowCardinality(String)) CODEC(ZSTD),
    `hours.region`         Array(LowCardinality(String)) CODEC(ZSTD),
    `hours.instance_type`  Array(LowCardinality(String)) CODEC(ZSTD),
    `hours.cpu_ppm`        Array(UInt32) CODEC(ZSTD),
    `hours.gpu_ppm`        Array(UInt32) CODEC(ZSTD),
    `hours.price`          Array(Decimal(38, 14)) CODEC(ZSTD),
    `hours.cpu_there`      Array(UInt64) CODEC(ZSTD),
    `hours.memory_there`   Array(UInt64) CODEC(ZSTD),
    `hours.gpu_there`      Array(UInt64) CODEC(ZSTD),
    x_Version              UInt128 CODEC(ZSTD)
)
ENGINE = ReplacingMergeTree(x_Version)
PARTITION BY toYYYYMM(day)
ORDER BY (org_id, cloud_account_id, day, cluster_uid, node)
SETTINGS non_replicated_deduplication_window = 0
