-- History of workflows: one row per change. `event` is what changed, `n` the position among the changes of a job, `status` the status of
-- the job after it. `plan_hash` identifies the plan that was made or approved; `actor` is a user ID or system. Amounts are US dollars for
-- 30 days. Kept for 400 days. Read it through the view workflow_events. Written by the workflow actor.
CREATE TABLE IF NOT EXISTS workflow_event
(
    org_id            LowCardinality(String),
    job_id            String,
    n                 UInt32,
    at                DateTime64(3, 'UTC'),
    event             LowCardinality(String),
    status            LowCardinality(String),
    step_id           LowCardinality(String),
    step_name         LowCardinality(String),
    actor             String,
    reason            String,
    plan_hash         String,
    template          LowCardinality(String),
    cloud_account_id  LowCardinality(String),
    resource_uid      String,
    resource_type     LowCardinality(String),
    provider          LowCardinality(String),
    recommendation_id String,
    rule_id           LowCardinality(String),
    current_cost_usd  Decimal(38, 14),
    savings_usd       Decimal(38, 14),
    x_Version         UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, job_id, n)
TTL toDateTime(at) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 0
