-- The latest known state of every resource, deleted ones included (deleted_at is then set): names and types for cost reports. One row per
-- resource. Read it with FINAL or through the view resources. Written by the resource actor.
CREATE TABLE IF NOT EXISTS resource_state
(
    org_id           LowCardinality(String),
    cloud_account_id LowCardinality(String),
    resource_uid     String,
    resource_id      String,
    name             String,
    type             LowCardinality(String),
    provider         LowCardinality(String),
    region           LowCardinality(String),
    status           LowCardinality(String),
    instance_type    LowCardinality(String),
    parent_uid       String,
    resource_group   LowCardinality(String),
    schedulable      UInt8,
    tags             Map(LowCardinality(String), String),
    hourly_rate_usd  Nullable(Float64),
    first_seen_at    DateTime64(3, 'UTC'),
    observed_at      DateTime64(3, 'UTC'),
    deleted_at       Nullable(DateTime64(3, 'UTC')),
    x_Version        UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, cloud_account_id, resource_uid)
SETTINGS non_replicated_deduplication_window = 0
