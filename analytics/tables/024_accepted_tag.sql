-- Accepted tags of resources: `smart` ones, derived by a policy, and `auto` ones, predicted. One row per resource and source with all its
-- tags; an empty map means none. Read it with FINAL. Written by the tagging actors.
CREATE TABLE IF NOT EXISTS accepted_tag
(
    org_id       LowCardinality(String),
    resource_uid String,
    source       LowCardinality(String),
    tags         Map(LowCardinality(String), String),
    x_Version    UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, resource_uid, source)
SETTINGS non_replicated_deduplication_window = 0
