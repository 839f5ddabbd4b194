-- kubernetes_pod by day: one row per cluster, namespace, pod, node and day, in place of its intervals. first_from is the start of the
-- first one, whose controller and labels count. hours has one entry per hour with data: began has a bit for each minute in which an
-- interval began; cores (thousandths), memory (KiB) and accelerators (thousandths) are times seconds, and like seconds and bytes they are
-- sums. Usage is null if no interval of the hour had it; cpu_measured and memory_measured are the requests of those that had it. Written by
-- the retention sweep.
CREATE TABLE IF NOT EXISTS kubernetes_pod_day
(
    org_id                     LowCardinality(String),
    cloud_account_id           LowCardinality(String),
    day                        Date32,
    cluster_uid                LowCardinality(String),
    namespace                  LowCardinality(String),
    pod                        String,
    node                       String,
    first_from                 DateTime('UTC') CODEC(ZSTD),
    controller_kind            LowCardinality(String),
    controller                 String,
    labels                     Map(LowCardinality(String), String) CODEC(ZSTD),
    `hours.hour`               Array(UInt8) CODEC(ZSTD),
    `hours.began`              Array(UInt64) CODEC(ZSTD),
    `hours.seconds`            Array(UInt32) CODEC(ZSTD),
    `hours.cpu_requested`      Array(UInt64) CODEC(ZSTD),
    `hours.cpu_used`           Array(Nullable(UInt64)) CODEC(T64, ZSTD),
    `hours.cpu_measured`       Array(UInt64) CODEC(ZSTD),
    `hours.memory_requested`   Array(UInt64) CODEC(ZSTD),
    `hours.memory_used`        Array(Nullable(UInt64)) CODEC(T64, ZSTD),
    `hours.memory_measured`    Array(UInt64) CODEC(ZSTD),
    `hours.gpu_requested`      Array(UInt64) CODEC(ZSTD),
    `hours.network_bytes`      Array(Nullable(UInt64)) CODEC(T64, ZSTD),
    x_Version                  UInt128 CODEC(ZSTD)
)
ENGINE = ReplacingMergeTree(x_Version)
PARTITION BY toYYYYMM(day)
ORDER BY (org_id, cloud_account_id, day, cluster_uid, namespace, pod, node)
SETTINGS non_replicated_deduplication_window = 0
