-- The team each resource had by rule when a month was closed by its snapshot: reports of that month keep it, as they keep those of
-- closed_assignment, which count before. `period` is 202601 for January 2026. Counts only for months that snapshot_state has. Read
-- it with FINAL. Written by the snapshot job.
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
