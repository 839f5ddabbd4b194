-- Effective tags of resources: one row per resource and key. `tag_source` is cloud, smart or auto. Parameter: {org}.
CREATE OR REPLACE VIEW resource_tags AS
SELECT
    cloud_account_id,
    resource_uid,
    arrayJoin(mapKeys(tags)) AS tag_key,
    tags[tag_key] AS tag_value,
    multiIf(mapContains(cloud, tag_key), 'cloud', mapContains(smart, tag_key), 'smart', 'auto') AS tag_source
FROM effective_tags(org = {org:String})
