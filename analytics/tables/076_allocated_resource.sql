-- The team of each resource by rule: one row per account and resource. An empty team_id means none, and so does the ID of a deleted team.
-- policy_id is the rule. A team assigned by hand, in team_assignment, takes precedence. Read it with FINAL. Written by the attribution
-- actor.
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
