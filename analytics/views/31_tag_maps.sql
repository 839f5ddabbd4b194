-- The effective tags of resources that have any of {keys}, of these keys alone: one row a resource.
CREATE OR REPLACE VIEW tag_maps AS
SELECT cloud_account_id, resource_uid, CAST(mapFilter((k, v) -> has({keys:Array(String)}, k), tags), 'Map(String, String)') AS of
FROM effective_tags(org = {org:String})
WHERE notEmpty(of)
