-- Facts for allocation rules about resources of the inventory, deleted ones included, with their effective tags: one row per account and
-- resource. {accounts} and {uids} correspond by position; empty lists mean all. Only Azure has resource groups, as in tag policies. Read
-- by the allocation of resources to teams.
-- Marks: uids.
SELECT
    i.cloud_account_id AS cloud_account_id,
    i.resource_uid AS resource_uid,
    i.provider AS provider,
    i.type AS type,
    i.region AS region,
    i.name AS name,
    i.instance_type AS instance_type,
    if(i.provider = 'azure', lowerUTF8(i.resource_group), '') AS resource_group,
    mapUpdate(
        mapUpdate(
            CAST(accepted.auto, 'Map(LowCardinality(String), String)'), CAST(accepted.smart, 'Map(LowCardinality(String), String)')),
        i.tags) AS tags
FROM
(
    SELECT cloud_account_id, resource_uid, provider, type, region, name, instance_type, resource_group, tags
    FROM resource_state FINAL
    WHERE org_id = {org:String}
        /*if uids*/AND (cloud_account_id, resource_uid) IN arrayZip({accounts:Array(String)}, {uids:Array(String)})/*end*/
) AS i
LEFT ANY JOIN
(
    SELECT resource_uid, anyIf(tags, source = 'smart') AS smart, anyIf(tags, source = 'auto') AS auto
    FROM accepted_tag FINAL
    WHERE org_id = {org:String} /*if uids*/AND resource_uid IN {uids:Array(String)}/*end*/
    GROUP BY resource_uid
) AS accepted ON accepted.resource_uid = i.resource_uid
