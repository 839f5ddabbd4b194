-- What a resource was judged by on a day, and what rules found in it: one row a resource and day, of the last sweep of the day.
-- `resource` is JSON of what it is (name, provider, region, size, tags, environment). `facts` has what rules could read, each as JSON,
-- empty where it was not known, in the order of `layout`, which names them by their paths in the rule language, between commas;
-- without those that follow from settings of the organization: `facts[indexOf(splitByChar(',', layout), 'bill.cost_30d')]`.
-- `found` is JSON by id of rule: `o` is f for fires, h for cannot tell, c for does not; amounts are US dollars for 30 days; empty where
-- no rule found anything. `is_recalled`: worked out later, from the bills, metrics and history of the day and what else was known of
-- the resource by then. Kept for 400 days. Read it through the view fact_sheets. Written by the audit actor.
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
