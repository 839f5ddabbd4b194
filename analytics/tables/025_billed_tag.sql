-- Tags that bills have for resources that are not in the inventory: one row per resource, from its newest day with tags. Read it with
-- FINAL. Written by the cost rollup.
CREATE TABLE IF NOT EXISTS billed_tag
(
    org_id           LowCardinality(String),
    cloud_account_id LowCardinality(String),
    resource_uid     String,
    tags             Map(LowCardinality(String), String),
    day              Date32,
    newer            UInt32 MATERIALIZED toInt32(day)
)
ENGINE = ReplacingMergeTree(newer)
ORDER BY (org_id, cloud_account_id, resource_uid)
SETTINGS non_replicated_deduplication_window = 0
