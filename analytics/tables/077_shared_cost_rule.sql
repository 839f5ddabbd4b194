-- Rules that distribute shared costs to teams: one row per rule. If two rules select a line, the older one counts. The lists of a
-- condition correspond by position: the fact of a line, the tag key or '', the operator, and the values in lower case; all conditions must
-- match. method is even, proportional (to the direct cost `basis`) or fixed; an empty `among` means all teams; weights are those of teams,
-- for fixed. Read it with FINAL. Written by the attribution actor.
CREATE TABLE IF NOT EXISTS shared_cost_rule
(
    org_id     LowCardinality(String),
    policy_id  String,
    enabled    UInt8,
    created_at DateTime64(3, 'UTC'),
    facts      Array(LowCardinality(String)),
    tag_keys   Array(String),
    operators  Array(LowCardinality(String)),
    values     Array(Array(String)),
    method     LowCardinality(String),
    basis      LowCardinality(String),
    among      Array(String),
    teams      Array(String),
    weights    Array(UInt32),
    x_Version  UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, policy_id)
SETTINGS non_replicated_deduplication_window = 0
