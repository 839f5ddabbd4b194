-- Teams, deleted ones included (deleted is 1), because closed months keep their names: one row per team. Read it with FINAL. Written by
-- the attribution actor.
CREATE TABLE IF NOT EXISTS team_state
(
    org_id    LowCardinality(String),
    team_id   String,
    name      String,
    deleted   UInt8,
    x_Version UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, team_id)
SETTINGS non_replicated_deduplication_window = 0
