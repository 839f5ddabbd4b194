-- Months of accounts that were added up by resource: one row per account and month. The sums are in cost_daily_slot, on the first day of
-- the month, under an edition of their own. They count for a query if its days of the month are exactly those that were added up: `days`
-- is their number, `digest` that of their editions. If any of these days is published again, the month no longer counts until it is added
-- up again. Written by the monthly rollup, after the rows.
CREATE TABLE IF NOT EXISTS cost_month
(
    org_id           LowCardinality(String),
    cloud_account_id LowCardinality(String),
    day              Date32,
    slot             UInt8,
    generation       UInt64,
    days             UInt64,
    digest           UInt64,
    edition          UInt64 MATERIALIZED sipHash64(cloud_account_id, day, generation)
)
ENGINE = ReplacingMergeTree(generation)
ORDER BY (org_id, cloud_account_id, day)
SETTINGS non_replicated_deduplication_window = 0
