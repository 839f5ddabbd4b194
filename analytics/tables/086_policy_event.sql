-- Events of autoscaler policies: one row per event; `n` is the position among the events of a policy. Bounds and numbers of units are null
-- if an event changes none; `applied_by` is a user ID, empty for the service itself; `mode` is the effective one. Kept for 400 days. Read
-- it through the view policy_events. Written by the autoscaler actor.
CREATE TABLE IF NOT EXISTS policy_event
(
    org_id           LowCardinality(String),
    policy_id        String,
    n                UInt32,
    event_id         String,
    at               DateTime64(3, 'UTC'),
    kind             LowCardinality(String),
    from_min         Nullable(UInt32),
    from_max         Nullable(UInt32),
    to_min           Nullable(UInt32),
    to_max           Nullable(UInt32),
    from_desired     Nullable(UInt32),
    to_desired       Nullable(UInt32),
    reason           String,
    applied_by       String,
    mode             LowCardinality(String),
    cloud_account_id LowCardinality(String),
    target_uid       String,
    target_type      LowCardinality(String),
    provider         LowCardinality(String),
    x_Version        UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, policy_id, n)
TTL toDateTime(at) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 0
