-- Bill lines that no report counts because another bill has the same charges: one row per billed account, day, usage account and
-- sub-account, with the number of lines, their US dollars, and the accounts whose bills count in their place. lines 0: all count. Read it
-- with FINAL. Written by the cost rollup, with the sums of the day.
CREATE TABLE IF NOT EXISTS bill_shadow
(
    org_id           LowCardinality(String),
    cloud_account_id String,
    day              Date32,
    usage_account_id String,
    sub_account_id   String,
    counted_in       Array(String),
    lines            UInt64,
    billed_cost      Decimal(38, 14),
    effective_cost   Decimal(38, 14),
    generation       UInt64
)
ENGINE = ReplacingMergeTree(generation)
ORDER BY (org_id, cloud_account_id, day, usage_account_id, sub_account_id)
SETTINGS non_replicated_deduplication_window = 0
