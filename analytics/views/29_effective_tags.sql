-- Effective tags of resources: one row per resource that has any. `cloud`, `smart` (derived by a policy, accepted) and `auto` (predicted,
-- accepted) are the tags by source; `tags` are the ones that count: the cloud's own take precedence over smart ones, these over automatic
-- ones. The cloud's tags are those of the inventory, deleted resources included; for a resource that was never in the inventory, those of
-- its newest bill. A tag without a value does not count. `seen` is the day of the cloud's tags. Keys of Azure (`provider`) are the same in
-- upper and lower case: of several spellings the last one counts. Parameter: {org}.
CREATE OR REPLACE VIEW effective_tags AS
SELECT cloud_account_id, resource_uid, provider, seen, cloud, smart, auto, mapUpdate(mapUpdate(auto, smart), cloud) AS tags
FROM
(
    SELECT
        i.cloud_account_id AS cloud_account_id,
        i.resource_uid AS resource_uid,
        i.provider AS provider,
        i.seen AS seen,
        mapFilter((k, v) -> v != '', i.tags) AS cloud,
        CAST(accepted.smart, 'Map(LowCardinality(String), String)') AS smart,
        CAST(accepted.auto, 'Map(LowCardinality(String), String)') AS auto
    FROM
    (
        SELECT cloud_account_id, resource_uid, provider, toDate32(observed_at) AS seen, tags FROM resource_state FINAL WHERE org_id = {org:String}
        UNION ALL
        SELECT cloud_account_id, resource_uid, provider, day AS seen, tags
        FROM billed_tag FINAL
        WHERE org_id = {org:String} AND (cloud_account_id, resource_uid) NOT IN
        (
            SELECT cloud_account_id, resource_uid
            FROM resource_state
            WHERE org_id = {org:String} AND (cloud_account_id, resource_uid) IN
                (SELECT cloud_account_id, resource_uid FROM billed_tag WHERE org_id = {org:String})
        )
    ) AS i
    LEFT ANY JOIN
    (
        SELECT resource_uid, anyIf(tags, source = 'smart') AS smart, anyIf(tags, source = 'auto') AS auto
        FROM accepted_tag FINAL
        WHERE org_id = {org:String}
        GROUP BY resource_uid
    ) AS accepted ON accepted.resource_uid = i.resource_uid
)
WHERE notEmpty(tags)
