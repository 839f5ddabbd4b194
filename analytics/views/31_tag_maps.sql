-- Effective tags of resources, limited to {keys}: one row per resource that has any of them. A key of Azure matches in upper and lower
-- case. Parameters: {org}, {keys}.
CREATE OR REPLACE VIEW tag_maps AS
SELECT cloud_account_id, resource_uid,
    CAST(if(provider = 'azure',
        mapFilter((k, v) -> v != '', mapFromArrays(arrayDistinct({keys:Array(String)}),
            arrayMap(k -> tags[arrayLast(x -> lowerUTF8(x) = lowerUTF8(k), mapKeys(tags))], arrayDistinct({keys:Array(String)})))),
        CAST(mapFilter((k, v) -> has({keys:Array(String)}, k), tags), 'Map(String, String)')), 'Map(String, String)') AS of
FROM effective_tags(org = {org:String})
WHERE notEmpty(of)
