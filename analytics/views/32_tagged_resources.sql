-- The resources that carry all of some tags: {tag_keys} and {tag_values} pair by place, an empty value asks for the key alone.
CREATE OR REPLACE VIEW tagged_resources AS
SELECT cloud_account_id, resource_uid
FROM resource_tags(org = {org:String})
GROUP BY cloud_account_id, resource_uid
HAVING length({tag_keys:Array(String)}) = sum(arrayCount((k, v) -> k = tag_key AND (v = '' OR v = tag_value),
    {tag_keys:Array(String)}, {tag_values:Array(String)}))
