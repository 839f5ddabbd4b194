-- Runs of schedules: one row per schedule, time, action and resource. `status` is triggered, completed, partial, failed or missed. Read it
-- with FINAL. Written by the scheduler-event actor.
CREATE TABLE IF NOT EXISTS scheduler_event
(
    org_id       LowCardinality(String),
    resource_uid String,
    triggered_at DateTime64(3, 'UTC'),
    schedule_id  String,
    action       LowCardinality(String),
    status       LowCardinality(String),
    event_id     String,
    x_Version    UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
PARTITION BY toYear(triggered_at)
ORDER BY (org_id, resource_uid, triggered_at, schedule_id, action)
SETTINGS non_replicated_deduplication_window = 0
