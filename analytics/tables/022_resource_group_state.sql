-- Resource groups, deleted ones included (deleted is 1): one row per group. Read it with FINAL. Written by the attribution actor.
CREATE TABLE IF NOT EXISTS resource_group_state
(
    org_id    LowCardinality(String),
    group_id  String,
    name      String,
    deleted   UInt8,
    x_Version UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, group_id)
SETTINGS non_replicated_deduplication_window = 0
