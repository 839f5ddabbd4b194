-- The effective tags of resources: one row a (resource, key). A cloud's own tags win over accepted smart ones, these over accepted
-- automatic ones; `tag_source` says which it was. The cloud's tags are those of the inventory, gone resources included, and
-- for resources it never saw those of their newest bill.
CREATE OR REPLACE VIEW resource_tags AS
SELECT
    cloud_account_id,
    resource_uid,
    arrayJoin(mapKeys(mapUpdate(mapUpdate(auto, smart), cloud))) AS tag_key,
    multiIf(mapContains(cloud, tag_key), cloud[tag_key], mapContains(smart, tag_key), smart[tag_key], auto[tag_key]) AS tag_value,
    multiIf(mapContains(cloud, tag_key), 'cloud', mapContains(smart, tag_key), 'smart', 'auto') AS tag_source
FROM
(
    SELECT
        i.cloud_account_id AS cloud_account_id,
        i.resource_uid AS resource_uid,
        i.tags AS cloud,
        CAST(accepted.smart, 'Map(LowCardinality(String), String)') AS smart,
        CAST(accepted.auto, 'Map(LowCardinality(String), String)') AS auto
    FROM
    (
        SELECT cloud_account_id, resource_uid, tags FROM resource_state FINAL WHERE org_id = {org:String}
        UNION ALL
        SELECT cloud_account_id, resource_uid, tags
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
