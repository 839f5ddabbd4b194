-- Tags that rules for shared costs read when a month was closed by its snapshot, keys and values in lower case: one row per month and
-- resource that had any. Only months in snapshot_state count. Read it with FINAL. Written by the snapshot job.
CREATE TABLE IF NOT EXISTS closed_tag
(
    org_id           LowCardinality(String),
    period           UInt32,
    cloud_account_id LowCardinality(String),
    resource_uid     String,
    tags             Map(String, String),
    written_at       DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree(written_at)
ORDER BY (org_id, period, cloud_account_id, resource_uid)
SETTINGS non_replicated_deduplication_window = 0
