-- The team of each resource by rule when a month was closed by its snapshot: one row per month, account and resource. Reports of that
-- month keep it; closed_assignment takes precedence. `period` is 202601 for January 2026. Only months in snapshot_state count. Read it
-- with FINAL. Written by the snapshot job.
CREATE TABLE IF NOT EXISTS closed_allocation
(
    org_id           LowCardinality(String),
    period           UInt32,
    cloud_account_id LowCardinality(String),
    resource_uid     String,
    team_id          String,
    written_at       DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree(written_at)
ORDER BY (org_id, period, cloud_account_id, resource_uid)
SETTINGS non_replicated_deduplication_window = 0
