-- Rules of shared_cost_rule when a month was closed by its snapshot: one row per month and rule; with `enabled` 0 the rule does not count.
-- Only months in snapshot_state count. Read it with FINAL. Written by the snapshot job.
CREATE TABLE IF NOT EXISTS closed_shared_rule
(
    org_id     LowCardinality(String),
    period     UInt32,
    policy_id  String,
    enabled    UInt8,
    created_at DateTime64(3, 'UTC'),
    facts      Array(LowCardinality(String)),
    tag_keys   Array(String),
    operators  Array(LowCardinality(String)),
    values     Array(Array(String)),
    written_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree(written_at)
ORDER BY (org_id, period, policy_id)
SETTINGS non_replicated_deduplication_window = 0
