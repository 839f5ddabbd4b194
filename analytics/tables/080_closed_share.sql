-- What each team took of the costs that a rule handed out when a month was closed by its snapshot: the part that its weight is of the
-- sum of the rule's. Counts only for months that snapshot_state has. Read it with FINAL. Written by the snapshot job.
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
