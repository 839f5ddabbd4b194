-- One row an event: who signed in, was refused, made or took back a token, changed a role. The same event_id replaces itself.
-- Read it with FINAL, or through the view security_events. Written by the security actor.
CREATE TABLE IF NOT EXISTS security_event
(
    org_id     LowCardinality(String),
    event_id   String,
    at         DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD),
    type       LowCardinality(String),
    user_id    String,
    principal  String,
    email      String,
    ip         String,
    user_agent String,
    request_id String,
    detail     Map(LowCardinality(String), String),
    x_Version  UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
PARTITION BY toYYYYMM(at)
ORDER BY (org_id, at, event_id)
SETTINGS non_replicated_deduplication_window = 0
