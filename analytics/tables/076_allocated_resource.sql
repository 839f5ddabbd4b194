-- The team of each resource by rule, by account and uid; an empty team_id means none, and so does the id of a team that was deleted
-- since. A team given by hand, in team_assignment, counts before. policy_id is the rule. Read it with FINAL. Written by the
-- attribution actor.
CREATE TABLE IF NOT EXISTS allocated_resource
(
    org_id           LowCardinality(String),
    cloud_account_id LowCardinality(String),
    resource_uid     String,
    team_id          String,
    policy_id        String,
    since            DateTime64(3, 'UTC'),
    x_Version        UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, cloud_account_id, resource_uid)
SETTINGS non_replicated_deduplication_window = 0
