-- Cost anomalies: one row per organization, day, type and key. `type` is org, cloud_account, resource_group, resource or team,
-- `anomaly_key` the ID of what is anomalous. Amounts are US dollars. `cloud_account_id` and `team_id` are its account and team, empty if
-- none. `origin` is daily, or running if found before the day was over. `withdrawn` 1: no longer an anomaly. `top_resources` and
-- `explained` are JSON. Read it with FINAL or through the view anomalies. Written by the anomaly actor.
CREATE TABLE IF NOT EXISTS anomaly_state
(
    org_id           LowCardinality(String),
    date             Date32,
    anomaly_type     LowCardinality(String),
    anomaly_key      String,
    id               String,
    severity         LowCardinality(String),
    method           LowCardinality(String),
    actual_usd       Float64,
    expected_usd     Float64,
    deviation_percent Float64,
    root_cause       String,
    explained        String,
    top_resources    String,
    cloud_account_id String,
    team_id          String,
    origin           LowCardinality(String),
    suppressed       UInt8,
    notified         UInt8,
    notified_at      Nullable(DateTime64(3, 'UTC')),
    created_at       DateTime64(3, 'UTC'),
    withdrawn        UInt8,
    x_Version        UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
PARTITION BY toYear(date)
ORDER BY (org_id, date, anomaly_type, anomaly_key)
SETTINGS non_replicated_deduplication_window = 0
