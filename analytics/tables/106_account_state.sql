-- Connected accounts: one row per account. provider and external_id find the account of a line by its sub-account. removed 1: no longer
-- connected. Read it with FINAL. Written by the account actor, and once at a start for accounts of older versions.
CREATE TABLE IF NOT EXISTS account_state
(
    org_id           LowCardinality(String),
    cloud_account_id String,
    provider         LowCardinality(String),
    external_id      String,
    removed          UInt8,
    x_Version        UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, cloud_account_id)
SETTINGS non_replicated_deduplication_window = 0
