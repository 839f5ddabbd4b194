-- Actions on resources that were begun: one row each, when its first call was asked for. `reason` is empty where nobody gave one.
-- Read it with FINAL. Written by the power actor.
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
