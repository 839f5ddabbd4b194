-- Actions that started or stopped resources, or tried to: one row per action that was carried out, written when it ended. `state` is
-- running, stopped or failed, `step` the step in which it ended (queued, cloud_call, wait_state or done). `schedule_id` is empty except
-- for schedules, `error_message` except for failures. Kept for 400 days. Read it with FINAL. Written by the power actor.
CREATE TABLE IF NOT EXISTS state_history
(
    org_id           LowCardinality(String),
    resource_uid     String,
    cloud_account_id LowCardinality(String),
    action_id        String,
    state            LowCardinality(String),
    changed_at       DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD),
    changed_by       String CODEC(ZSTD),
    changed_by_type  LowCardinality(String),
    schedule_id      String,
    step             LowCardinality(String),
    status           LowCardinality(String),
    error_message    String CODEC(ZSTD),
    action           LowCardinality(String),
    attempts         UInt8,
    x_Version        UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, resource_uid, cloud_account_id, action_id)
TTL toDateTime(changed_at) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 0
