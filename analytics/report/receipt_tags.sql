-- Effective tags of some resources and the source of each: cloud (the inventory), smart, auto, or bill (the newest bill, for a resource
-- that was never in the inventory). One row per account and resource. {accounts} and {uids} are the accounts and resources of the rows
-- wanted; other combinations of them may appear too. Read by GET /reports/receipt.
SELECT cloud_account_id, resource_uid, of AS tags,
    mapApply((k, v) -> (k, if(v = 'cloud' AND (cloud_account_id, resource_uid) NOT IN
        (SELECT cloud_account_id, resource_uid FROM resource_state WHERE org_id = {org:String} AND resource_uid IN {uids:Array(String)}),
        'bill', v)), sources) AS origins
FROM tag_sources(org = {org:String}, spelled_keys = emptyArrayString(), spellings = CAST([], 'Array(Array(String))'))
WHERE cloud_account_id IN {accounts:Array(String)} AND resource_uid IN {uids:Array(String)}
