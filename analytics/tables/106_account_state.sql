-- The connected accounts of organizations: whose resources the lines of a bill are about is looked up by provider and external_id, which
-- is the sub-account of such lines. removed 1: not connected any more. One row an account. Read it with FINAL. Written by the account
-- actor, and once at a start for accounts of older versions.
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
