-- Utilization samples: one row per resource, metric and time. Percentages are 0 to 100. The same key replaces the row. Read it with FINAL
-- or through the view metric_samples. Written by the resource actor.
CREATE TABLE IF NOT EXISTS metric_sample
(
    org_id           LowCardinality(String),
    resource_uid     String,
    metric           LowCardinality(String),
    ts               DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD),
    value            Float64 CODEC(Gorilla, ZSTD),
    cloud_account_id LowCardinality(String),
    x_Version        UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
PARTITION BY toYYYYMM(ts)
ORDER BY (org_id, resource_uid, metric, ts)
SETTINGS non_replicated_deduplication_window = 0
