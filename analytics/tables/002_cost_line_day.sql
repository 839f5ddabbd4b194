-- The current day of each bill line, and the day it moved from: a restatement that changes the day finds the row to replace here. One row
-- per line. Lines whose ID starts with their own day (YYYY-MM-DD/) cannot move and are not listed. Written by the account actor, after its
-- rows of cost_fact are durable.
CREATE TABLE IF NOT EXISTS cost_line_day
(
    org_id           LowCardinality(String),
    cloud_account_id LowCardinality(String),
    line_id          String,
    day              Date32,
    from_day         Nullable(Date32),
    x_Version        UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, cloud_account_id, line_id)
SETTINGS non_replicated_deduplication_window = 0, index_granularity = 1024
