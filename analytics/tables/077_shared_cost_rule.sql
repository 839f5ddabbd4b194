-- Rules by which shared costs leave their owner and are handed out to teams; of two that select a line the older one counts.
-- Conditions stand side by side: what of a line they are about (facts), the key of a tag or '', the operator, the values in
-- lower case; all must hold. method is even, proportional (to the direct cost that `basis` names) or fixed; an empty
-- `among` is all teams; weights are those of teams, for fixed. Read it with FINAL. Written by the attribution actor.
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
