-- What was used and paid for by day and resource, with its purpose, how it is priced, and the commitment that covers it: one row per
-- combination, in US dollars. Computed with cost_daily_slot from the same lines, under the same slot and generation, and published by the
-- same row of cost_day, so both add up to the same. `component` is from streams/billing/line/component.csv, other if no row matches;
-- `pricing_category` and `commitment_status` are those of FOCUS; `hours` are hours of use, `quantity` is in `unit`. Read it through the
-- view usage_daily. Written by the cost rollup.
CREATE TABLE IF NOT EXISTS usage_daily_slot
(
    org_id            LowCardinality(String),
    day               Date32,
    cloud_account_id  LowCardinality(String),
    slot              UInt8,
    generation        UInt64,
    resource_uid      String,
    service_name      LowCardinality(String),
    component         LowCardinality(String),
    purchase_type     LowCardinality(String),
    pricing_category  LowCardinality(String),
    charge_category   LowCardinality(String),
    commitment_id     String,
    commitment_status LowCardinality(String),
    unit              LowCardinality(String),
    hours             Float64,
    quantity          Decimal(38, 14),
    billed_cost       Decimal(38, 14),
    effective_cost    Decimal(38, 14),
    contracted_cost   Decimal(38, 14),
    list_cost         Decimal(38, 14),
    edition           UInt64 MATERIALIZED sipHash64(cloud_account_id, day, generation)
)
ENGINE = ReplacingMergeTree(generation)
PARTITION BY toYYYYMM(day)
ORDER BY (org_id, day, cloud_account_id, slot, resource_uid, service_name, component, purchase_type, pricing_category, charge_category, commitment_id, commitment_status, unit)
SETTINGS non_replicated_deduplication_window = 0
