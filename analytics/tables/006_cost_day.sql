-- The generation of cost_daily_slot that counts: one row per account and day. One insert publishes all days of a recomputation, so a
-- report never reads half of it. Written by the cost rollup, after the rows that it publishes.
CREATE TABLE IF NOT EXISTS cost_day
(
    org_id           LowCardinality(String),
    cloud_account_id LowCardinality(String),
    day              Date32,
    slot             UInt8,
    generation       UInt64,
    edition          UInt64 MATERIALIZED sipHash64(cloud_account_id, day, generation)
)
ENGINE = ReplacingMergeTree(generation)
ORDER BY (org_id, cloud_account_id, day)
SETTINGS non_replicated_deduplication_window = 0
