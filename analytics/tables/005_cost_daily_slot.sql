-- Costs by day and every dimension, recomputed from bill lines whenever a day changes: absolute sums in US dollars, never deltas. One row
-- per combination of dimensions.
-- A day of an account is written as a whole under a new generation into the slot that is not read, then published in cost_day. Rows of
-- other generations are leftovers that merges remove. Read it through the view cost_daily. Written by the cost rollup.
CREATE TABLE IF NOT EXISTS cost_daily_slot
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
    resource_uid     String,
    billed_cost      Decimal(38, 14),
    effective_cost   Decimal(38, 14),
    contracted_cost  Decimal(38, 14),
    list_cost        Decimal(38, 14),
    lines            UInt32,
    estimated_lines  UInt32,
    edition          UInt64 MATERIALIZED sipHash64(cloud_account_id, day, generation)
)
ENGINE = ReplacingMergeTree(generation)
PARTITION BY toYYYYMM(day)
ORDER BY (org_id, day, cloud_account_id, slot, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid)
SETTINGS non_replicated_deduplication_window = 0
