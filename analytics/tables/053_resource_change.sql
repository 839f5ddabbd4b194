-- Changes of resources that discovery found: one row per change of status (kind state_transition; '' means absent) or of size, price, tags
-- or name (kind configuration_change). `details` has the values before and after, as JSON. The same change_id replaces the row. Read it
-- with FINAL. Written by the resource actor.
CREATE TABLE IF NOT EXISTS resource_change
(
    org_id           LowCardinality(String),
    resource_uid     String,
    at               DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD),
    change_id        String,
    cloud_account_id LowCardinality(String),
    kind             LowCardinality(String),
    details          String CODEC(ZSTD),
    x_Version        UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, resource_uid, at, change_id)
SETTINGS non_replicated_deduplication_window = 0
