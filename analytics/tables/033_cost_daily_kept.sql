-- Former rows of cost_daily_slot of restated days, as long as cost_day_kept has them: one copy of the sums of a day per kept restatement,
-- in US dollars. Written by the cost rollup.
CREATE TABLE IF NOT EXISTS cost_daily_kept
(
    org_id           LowCardinality(String),
    day              Date32,
    cloud_account_id LowCardinality(String),
    generation       UInt64,
    provider         LowCardinality(String),
    region           LowCardinality(String),
    service_name     LowCardinality(String),
    resource_type    LowCardinality(String),
    purchase_type    LowCardinality(String),
    charge_category  LowCardinality(String),
    resource_uid     String,
    billed_cost      Decimal(38, 14),
    effective_cost   Decimal(38, 14),
    contracted_cost  Decimal(38, 14),
    list_cost        Decimal(38, 14),
    lines            UInt32,
    estimated_lines  UInt32,
    until            DateTime64(3, 'UTC'),
    edition          UInt64 MATERIALIZED sipHash64(cloud_account_id, day, generation)
)
ENGINE = ReplacingMergeTree(generation)
PARTITION BY toMonday(until)
ORDER BY (org_id, day, cloud_account_id, generation, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid)
TTL toDateTime(until) + INTERVAL 35 DAY
SETTINGS non_replicated_deduplication_window = 0, ttl_only_drop_parts = 1
