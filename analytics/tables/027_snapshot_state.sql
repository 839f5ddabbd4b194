-- Closed months with their totals at that time, in US dollars: one row per organization and month, never changed. `period` is 202601 for
-- January 2026. Written by the snapshot actor.
CREATE TABLE IF NOT EXISTS snapshot_state
(
    org_id             LowCardinality(String),
    period             UInt32,
    total_cost_usd     Decimal(38, 14),
    total_savings_usd  Decimal(38, 14),
    resources          UInt64,
    created_at         DateTime64(3, 'UTC'),
    x_Version          UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, period)
SETTINGS non_replicated_deduplication_window = 0
