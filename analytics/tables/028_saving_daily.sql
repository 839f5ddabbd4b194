-- Savings in US dollars: one row per day, resource and source (`source`: schedule, recommendation and so on; `source_id`: which one), with
-- the dimensions that reports filter by. The same key replaces the row. Read it with FINAL. Written by the actors that act on resources.
CREATE TABLE IF NOT EXISTS saving_daily
(
    org_id           LowCardinality(String),
    day              Date32,
    cloud_account_id LowCardinality(String),
    resource_uid     String,
    source           LowCardinality(String),
    source_id        String,
    provider         LowCardinality(String),
    region           LowCardinality(String),
    service_name     LowCardinality(String),
    resource_type    LowCardinality(String),
    purchase_type    LowCardinality(String),
    saved            Decimal(38, 14),
    x_Version        UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
PARTITION BY toYear(day)
ORDER BY (org_id, day, cloud_account_id, resource_uid, source, source_id)
SETTINGS non_replicated_deduplication_window = 0
