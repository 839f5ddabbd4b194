-- The effective tags of resources that have any of {keys}, of these keys alone: one row a resource.
CREATE OR REPLACE VIEW tag_maps AS
SELECT cloud_account_id, resource_uid, CAST((groupArray(toString(tag_key)), groupArray(tag_value)), 'Map(String, String)') AS of
FROM resource_tags(org = {org:String})
WHERE tag_key IN {keys:Array(String)}
GROUP BY cloud_account_id, resource_uid
