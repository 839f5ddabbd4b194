-- The effective tags of resources: one row a (resource, key); `tag_source` says whether it is the cloud's, smart or auto (automatic).
CREATE OR REPLACE VIEW resource_tags AS
SELECT
    cloud_account_id,
    resource_uid,
    arrayJoin(mapKeys(tags)) AS tag_key,
    tags[tag_key] AS tag_value,
    multiIf(mapContains(cloud, tag_key), 'cloud', mapContains(smart, tag_key), 'smart', 'auto') AS tag_source
FROM effective_tags(org = {org:String})
