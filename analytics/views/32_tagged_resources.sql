-- Resources that have all of some tags: one row per resource. {tag_keys} and {tag_values} correspond by position; an empty value means
-- any. A key of Azure matches in upper and lower case. Parameters: {org}, {tag_keys}, {tag_values}.
CREATE OR REPLACE VIEW tagged_resources AS
SELECT cloud_account_id, resource_uid
FROM effective_tags(org = {org:String})
WHERE arrayAll((k, v) -> (tags[if(provider = 'azure', arrayLast(x -> lowerUTF8(x) = lowerUTF8(k), mapKeys(tags)), k)] AS value) != '' AND (v = '' OR value = v), {tag_keys:Array(String)}, {tag_values:Array(String)})
