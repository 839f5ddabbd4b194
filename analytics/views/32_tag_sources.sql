-- Effective tags of resources and their sources: one row per resource that has any. `sources` has for each key cloud, smart or auto. Azure
-- keys in lower case that are in {spelled_keys} appear in their {spellings}, by position. Parameters: {org}, {spelled_keys}, {spellings}.
-- Read by tag_costs and the receipt of a figure.
-- Marks: spelled_keys.
CREATE OR REPLACE VIEW tag_sources AS
SELECT cloud_account_id, resource_uid, provider,
    mapFromArrays(keys, arrayMap(k -> tags[k], own_keys)) AS of,
    mapFromArrays(keys, arrayMap(k -> multiIf(mapContains(cloud, k), 'cloud', mapContains(smart, k), 'smart', 'auto'), own_keys)) AS sources
FROM
(
    SELECT cloud_account_id, resource_uid, provider, cloud, smart, CAST(e.tags, 'Map(String, String)') AS tags,
        /*if spelled_keys*/if(provider = 'azure', arrayDistinct(arrayFlatten(arrayMap(k -> if(has({spelled_keys:Array(String)}, lowerUTF8(k)), mapFromArrays({spelled_keys:Array(String)}, {spellings:Array(Array(String))})[lowerUTF8(k)], [k]), mapKeys(tags)))), mapKeys(tags))/*else mapKeys(tags) end*/ AS keys,
        /*if spelled_keys*/if(provider = 'azure', arrayMap(s -> arrayLast(k -> lowerUTF8(k) = lowerUTF8(s), mapKeys(tags)), keys), keys)/*else keys end*/ AS own_keys
    FROM effective_tags(org = {org:String}) AS e
)
