-- Notifications, sent or still to send: one row per event and channel, and one per test of a channel. `channel_id` is `mail:<user>` for
-- the built-in email of a person. `status` is pending, held (quiet hours, a digest, a broken channel), delivered, failed or folded
-- (included in the notification `folded_into`). `kind` is event, digest, test or share. `response_status` is the HTTP status of the
-- receiver, 0 without a response. `event` is JSON, as receivers get it. Kept for 90 days. Read it with FINAL. Written by the delivery
-- actor.
CREATE TABLE IF NOT EXISTS notification_delivery
(
    org_id           LowCardinality(String),
    created_at       DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD),
    id               String,
    channel_id       LowCardinality(String),
    kind             LowCardinality(String),
    event_id         String,
    event_type       LowCardinality(String),
    category         LowCardinality(String),
    severity         LowCardinality(String),
    title            String CODEC(ZSTD),
    scope_type       LowCardinality(String),
    scope_id         String,
    status           LowCardinality(String),
    hold             LowCardinality(String),
    tries            UInt8,
    response_status  UInt16,
    message          String CODEC(ZSTD),
    next_try_at      Nullable(DateTime64(3, 'UTC')),
    ended_at         Nullable(DateTime64(3, 'UTC')),
    folded_into      String,
    event            String CODEC(ZSTD),
    x_Version        UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, created_at, id)
TTL toDateTime(created_at) + INTERVAL 90 DAY
SETTINGS non_replicated_deduplication_window = 0
