-- Actions on resources that were started: one row per action, at the time of its first call. `reason` is empty if none was given. Read it
-- with FINAL. Written by the power actor.
CREATE TABLE IF NOT EXISTS action_submission
(
    org_id           LowCardinality(String),
    resource_uid     String,
    at               DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD),
    action_id        String,
    cloud_account_id LowCardinality(String),
    action           LowCardinality(String),
    reason           String CODEC(ZSTD),
    changed_by       String CODEC(ZSTD),
    x_Version        UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, resource_uid, at, action_id)
SETTINGS non_replicated_deduplication_window = 0
