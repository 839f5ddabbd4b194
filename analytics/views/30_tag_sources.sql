-- The tags that count of resources that have any, one row a resource, and for each key where it is from: cloud, smart or auto (automatic).
CREATE OR REPLACE VIEW tag_sources AS
SELECT cloud_account_id, resource_uid, CAST(tags, 'Map(String, String)') AS of,
    mapApply((k, v) -> (k, multiIf(mapContains(cloud, k), 'cloud', mapContains(smart, k), 'smart', 'auto')), of) AS sources
FROM effective_tags(org = {org:String})
