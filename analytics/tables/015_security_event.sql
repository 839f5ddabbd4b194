-- Security events, such as sign-ins, refusals, new and revoked tokens, and changes of roles: one row per event. The same event_id replaces
-- the row. Read it with FINAL or through the view security_events. Written by the security actor.
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
