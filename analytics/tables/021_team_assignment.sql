-- The team that each resource UID was assigned to by hand: one row per resource that was ever assigned. An empty team_id means none, and
-- so does the ID of a deleted team. Read it with FINAL. Written by the attribution actor.
CREATE TABLE IF NOT EXISTS team_assignment
(
    org_id       LowCardinality(String),
    resource_uid String,
    team_id      String,
    assigned_at  DateTime64(3, 'UTC'),
    x_Version    UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, resource_uid)
SETTINGS non_replicated_deduplication_window = 0
