-- Shares of teams in shared costs when a month was closed by its snapshot: one row per month, rule and team. The share is the team's
-- weight of the sum of weights of the rule. Only months in snapshot_state count. Read it with FINAL. Written by the snapshot job.
CREATE TABLE IF NOT EXISTS closed_share
(
    org_id     LowCardinality(String),
    period     UInt32,
    policy_id  String,
    team_id    String,
    weight     Int256,
    written_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree(written_at)
ORDER BY (org_id, period, policy_id, team_id)
SETTINGS non_replicated_deduplication_window = 0
