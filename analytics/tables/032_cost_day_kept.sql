-- Former sums of restated days, kept for queries as of an earlier time (`as_of`): one row per day and generation, with the time range in
-- which reports showed them. Deleted 35 days after they were replaced. Written by the cost rollup, after the rows of cost_daily_kept.
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
