-- The team each resource belongs to now, by the resource's uid; an empty team_id means none, and so does the id of a team
-- that was deleted since. One row a resource that was ever assigned. Read it with FINAL. Written by the attribution actor.
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
