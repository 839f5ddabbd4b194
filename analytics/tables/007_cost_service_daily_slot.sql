-- The sums of cost_daily_slot without the resource, in US dollars: far fewer rows, so a year of an organization is read in milliseconds.
-- Written with it, under the same slot and generation, and published by the same row of cost_day. Read it through the view
-- cost_service_daily. Written by the cost rollup.
CREATE TABLE IF NOT EXISTS cost_service_daily_slot
(
    org_id           LowCardinality(String),
    day              Date32,
    cloud_account_id LowCardinality(String),
    slot             UInt8,
    generation       UInt64,
    provider         LowCardinality(String),
    region           LowCardinality(String),
    service_name     LowCardinality(String),
    resource_type    LowCardinality(String),
    purchase_type    LowCardinality(String),
    charge_category  LowCardinality(String),
    billed_cost      Decimal(38, 14),
    effective_cost   Decimal(38, 14),
    contracted_cost  Decimal(38, 14),
    list_cost        Decimal(38, 14),
    lines            UInt32,
    estimated_lines  UInt32,
    edition          UInt64 MATERIALIZED sipHash64(cloud_account_id, day, generation)
)
ENGINE = ReplacingMergeTree(generation)
PARTITION BY toYear(day)
ORDER BY (org_id, day, cloud_account_id, slot, provider, region, service_name, resource_type, purchase_type, charge_category)
SETTINGS non_replicated_deduplication_window = 0
