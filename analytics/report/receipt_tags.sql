-- The tags that count of some resources, and where each is from: cloud (the inventory), smart, auto, or bill (the newest bill of a resource that
-- the inventory never saw). The two lists hold the accounts and resources of the wanted rows; other combinations of them may come too.
SELECT cloud_account_id, resource_uid, of AS tags,
    mapApply((k, v) -> (k, if(v = 'cloud' AND (cloud_account_id, resource_uid) NOT IN
        (SELECT cloud_account_id, resource_uid FROM resource_state WHERE org_id = {org:String} AND resource_uid IN {uids:Array(String)}),
        'bill', v)), sources) AS origins
FROM tag_sources(org = {org:String}, spelled_keys = emptyArrayString(), spellings = CAST([], 'Array(Array(String))'))
WHERE cloud_account_id IN {accounts:Array(String)} AND resource_uid IN {uids:Array(String)}
