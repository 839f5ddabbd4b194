-- The resources that carry all of some tags: {tag_keys} and {tag_values} pair by place, an empty value asks for the key alone.
-- A key of Azure is found in any case.
CREATE OR REPLACE VIEW tagged_resources AS
SELECT cloud_account_id, resource_uid
FROM effective_tags(org = {org:String})
WHERE arrayAll((k, v) -> (tags[if(provider = 'azure', arrayLast(x -> lowerUTF8(x) = lowerUTF8(k), mapKeys(tags)), k)] AS value) != '' AND (v = '' OR value = v), {tag_keys:Array(String)}, {tag_values:Array(String)})
