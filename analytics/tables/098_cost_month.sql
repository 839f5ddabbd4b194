-- Months of accounts that were added up by resource as they stood: their rows are in cost_daily_slot, on the first day of the month,
-- under an edition of their own. They count for a question while its days of the month are the very ones they were added up from: as
-- many `days`, whose editions have the same `digest`. Whatever publishes one of these days again ends that, until the month is
-- added up anew. Written by the rollup of months, after the rows.
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
