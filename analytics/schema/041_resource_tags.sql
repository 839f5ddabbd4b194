-- The effective tags of resources: one row a (resource, key). A cloud's own tags win over accepted smart ones, these over accepted
-- automatic ones; `tag_source` says which it was. The cloud's tags are those of the inventory, gone resources included, and
-- for resources it never saw those of their newest bill.
CREATE OR REPLACE VIEW resource_tags AS
WITH inventory AS
(
    SELECT cloud_account_id, resource_uid, tags FROM resource_state FINAL WHERE org_id = {org:String}
)
SELECT
    cloud_account_id,
    resource_uid,
    tag.1 AS tag_key,
    argMin(tag.2, place) AS tag_value,
    ['cloud', 'smart', 'auto'][min(place)] AS tag_source
FROM
(
    SELECT cloud_account_id, resource_uid, 1 AS place, arrayJoin(arrayZip(mapKeys(tags), mapValues(tags))) AS tag
    FROM inventory
    UNION ALL
    SELECT cloud_account_id, resource_uid, 1 AS place, arrayJoin(arrayZip(mapKeys(tags), mapValues(tags))) AS tag
    FROM billed_tag FINAL
    WHERE org_id = {org:String} AND (cloud_account_id, resource_uid) NOT IN (SELECT cloud_account_id, resource_uid FROM inventory)
    UNION ALL
    SELECT i.cloud_account_id AS cloud_account_id, a.resource_uid AS resource_uid, if(a.source = 'smart', 2, 3) AS place,
        arrayJoin(arrayZip(mapKeys(a.tags), mapValues(a.tags))) AS tag
    FROM (SELECT resource_uid, source, tags FROM accepted_tag FINAL WHERE org_id = {org:String}) AS a
    INNER JOIN inventory AS i ON i.resource_uid = a.resource_uid
)
GROUP BY cloud_account_id, resource_uid, tag_key
