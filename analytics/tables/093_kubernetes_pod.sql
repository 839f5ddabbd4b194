-- What pods requested and used: one row per cluster, namespace, pod, node and start of an interval, for the {seconds} that the pod ran.
-- Usage and network are null if not measured. controller is the topmost controller, empty for a pod without one. labels are those of the
-- pod. The same key replaces the row. Read it with FINAL or through the view kubernetes_pods. Written by the kubernetes actor.
CREATE TABLE IF NOT EXISTS kubernetes_pod
(
    org_id           LowCardinality(String),
    cloud_account_id LowCardinality(String),
    day              Date32,
    cluster_uid      LowCardinality(String),
    namespace        LowCardinality(String),
    pod              String,
    node             String,
    `from`           DateTime('UTC') CODEC(DoubleDelta, ZSTD),
    seconds          UInt16,
    controller_kind  LowCardinality(String),
    controller       String,
    labels           Map(LowCardinality(String), String) CODEC(ZSTD),
    cpu_request      UInt32,
    cpu_used         Nullable(UInt32),
    memory_request   UInt64,
    memory_used      Nullable(UInt64),
    gpu_request      UInt32,
    network_bytes    Nullable(UInt64),
    x_Version        UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
PARTITION BY toYYYYMM(day)
ORDER BY (org_id, cloud_account_id, day, cluster_uid, namespace, pod, node, `from`)
SETTINGS non_replicated_deduplication_window = 0
