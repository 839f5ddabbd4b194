-- Members of resource groups, removed ones included (removed is 1): one row per group and resource. A resource may be in several groups.
-- Read it with FINAL. Written by the attribution actor.
CREATE TABLE IF NOT EXISTS resource_group_member
(
    org_id       LowCardinality(String),
    group_id     String,
    resource_uid String,
    added_at     DateTime64(3, 'UTC'),
    removed      UInt8,
    x_Version    UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, group_id, resource_uid)
SETTINGS non_replicated_deduplication_window = 0
