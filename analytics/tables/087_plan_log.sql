-- Log of readiness plans: one row per change of status, order to a target, or callback; `n` is the position in the log of a plan. `actor`
-- is a user ID, system or executor; `policy_id` is empty for the plan itself. Kept for 400 days. Read it through the view plan_logs.
-- Written by the readiness actor.
CREATE TABLE IF NOT EXISTS plan_log
(
    org_id      LowCardinality(String),
    plan_id     String,
    n           UInt32,
    log_id      String,
    at          DateTime64(3, 'UTC'),
    kind        LowCardinality(String),
    from_status LowCardinality(String),
    to_status   LowCardinality(String),
    message     String,
    actor       String,
    policy_id   String,
    x_Version   UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, plan_id, n)
TTL toDateTime(at) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 0
