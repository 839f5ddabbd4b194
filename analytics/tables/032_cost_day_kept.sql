-- Sums of days that were restated since and are kept to be asked for (`as_of`): which, and from when until when reports showed
-- them. Dropped 35 days after they were replaced. Written by the cost rollup, after the rows it speaks of.
CREATE TABLE IF NOT EXISTS cost_day_kept
(
    org_id           LowCardinality(String),
    cloud_account_id LowCardinality(String),
    day              Date32,
    generation       UInt64,
    published_at     DateTime64(3, 'UTC'),
    until            DateTime64(3, 'UTC'),
    edition          UInt64 MATERIALIZED sipHash64(cloud_account_id, day, generation)
)
ENGINE = ReplacingMergeTree(generation)
PARTITION BY toMonday(until)
ORDER BY (org_id, cloud_account_id, day, generation)
TTL toDateTime(until) + INTERVAL 35 DAY
SETTINGS non_replicated_deduplication_window = 0, ttl_only_drop_parts = 1
