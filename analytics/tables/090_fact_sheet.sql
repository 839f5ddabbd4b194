-- Facts that rules could read of a resource, and what they found: one row per resource and day, from the last sweep of the day. `resource`
-- is JSON of its properties (name, provider, region, size, tags, environment). `facts` are JSON values, empty if unknown, in the order of
-- `layout`, which has their paths in the rule language, separated by commas: `facts[indexOf(splitByChar(',', layout), 'bill.cost_30d')]`.
-- Facts that follow from settings of the organization are left out.
-- `found` is JSON by rule ID: `o` is f (fires), h (cannot tell) or c (does not); amounts are US dollars for 30 days; empty if no rule
-- found anything. `is_recalled` is 1 if computed later, from stored bills, metrics and history. Kept for 400 days. Read it through the
-- view fact_sheets. Written by the audit actor.
CREATE TABLE IF NOT EXISTS fact_sheet
(
    org_id           LowCardinality(String),
    resource_type    LowCardinality(String),
    cloud_account_id LowCardinality(String),
    resource_uid     String,
    day              Date32,
    at               DateTime64(3, 'UTC'),
    is_recalled      UInt8,
    resource         String CODEC(ZSTD),
    layout           LowCardinality(String),
    facts            Array(String) CODEC(ZSTD),
    found            String CODEC(ZSTD),
    x_Version        UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
PARTITION BY toYYYYMM(day)
ORDER BY (org_id, resource_type, cloud_account_id, resource_uid, day)
TTL toDateTime(at) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 0
