-- The resources that carry all of some tags: {tag_keys} and {tag_values} pair by place, an empty value asks for the key alone.
CREATE OR REPLACE VIEW tagged_resources AS
SELECT cloud_account_id, resource_uid
FROM effective_tags(org = {org:String})
WHERE arrayAll((k, v) -> mapContains(tags, k) AND (v = '' OR tags[k] = v), {tag_keys:Array(String)}, {tag_values:Array(String)})
