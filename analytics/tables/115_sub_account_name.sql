-- Names of sub-accounts in bills: one row per sub-account, with the name of its newest line by day. Read it with FINAL. Written by the
-- cost rollup.
CREATE TABLE IF NOT EXISTS sub_account_name
(
    org_id         LowCardinality(String),
    provider       LowCardinality(String),
    sub_account_id String,
    name           String,
    day            Date32,
    version        UInt32 MATERIALIZED toUInt32(greatest(0, toInt32(day)))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (org_id, provider, sub_account_id)
SETTINGS non_replicated_deduplication_window = 0
