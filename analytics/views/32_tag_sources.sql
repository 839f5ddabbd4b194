-- The tags that count of resources that have any, one row a resource, and for each key where it is from: cloud, smart or auto (automatic).
-- Keys of Azure are spelled as in azure_spellings.
CREATE OR REPLACE VIEW tag_sources AS
/*if azure*/
WITH (SELECT mapFromArrays(groupArray(folded), groupArray(spellings)) FROM azure_spellings(org = {org:String})) AS spelled
/*end*/
SELECT cloud_account_id, resource_uid, provider,
    mapFromArrays(keys, arrayMap(k -> tags[k], own_keys)) AS of,
    mapFromArrays(keys, arrayMap(k -> multiIf(mapContains(cloud, k), 'cloud', mapContains(smart, k), 'smart', 'auto'), own_keys)) AS sources
FROM
(
    SELECT cloud_account_id, resource_uid, provider, cloud, smart, CAST(e.tags, 'Map(String, String)') AS tags,
        /*if azure*/if(provider = 'azure', arrayDistinct(arrayFlatten(arrayMap(k -> spelled[lowerUTF8(k)], mapKeys(tags)))), mapKeys(tags))/*else mapKeys(tags) end*/ AS keys,
        /*if azure*/if(provider = 'azure', arrayMap(s -> arrayLast(k -> lowerUTF8(k) = lowerUTF8(s), mapKeys(tags)), keys), keys)/*else keys end*/ AS own_keys
    FROM effective_tags(org = {org:String}) AS e
)
