-- The team of each resource when a month was closed by its snapshot: one row per month and resource. Reports of that month keep it.
-- `period` is 202601 for January 2026. Only months in snapshot_state count. Read it with FINAL. Written by the snapshot job.
CREATE TABLE IF NOT EXISTS closed_assignment
(
    org_id       LowCardinality(String),
    period       UInt32,
    resource_uid String,
    team_id      String,
    written_at   DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree(written_at)
ORDER BY (org_id, period, resource_uid)
SETTINGS non_replicated_deduplication_window = 0
