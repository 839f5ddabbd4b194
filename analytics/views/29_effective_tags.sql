-- The tags of resources that have any, one row a resource: those of the cloud, accepted smart and accepted automatic ones apart, and
-- `tags`, those that count: a cloud's own win over smart ones, these over automatic ones. The cloud's tags are those of the inventory,
-- gone resources included, and for resources it never saw those of their newest bill. A tag without a value is none.
-- Keys of Azure (`provider`) mean the same in upper and lower case: of several spellings the last one counts. `seen` is the day that the cloud's tags are of.
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
