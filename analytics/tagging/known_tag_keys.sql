-- Tag keys of an organization, in order, as tag_key_found looks for them: one row per key, at most {limit}. Read by the error for an
-- unknown tag key.
SELECT DISTINCT toString(key) AS tag_key
FROM
(
    SELECT DISTINCT arrayJoin(mapKeys(tags)) AS key FROM resource_state
    WHERE org_id = {org:String} AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)})
    UNION ALL
    SELECT DISTINCT arrayJoin(mapKeys(tags)) AS key FROM billed_tag
    WHERE org_id = {org:String} AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)})
    UNION ALL
    SELECT DISTINCT arrayJoin(mapKeys(tags)) AS key FROM accepted_tag WHERE org_id = {org:String} AND {scoped:UInt8} = 0
    UNION ALL
    SELECT DISTINCT arrayJoin(JSONExtractKeys(toString(own_tags))) AS key FROM cost_daily_slot
    WHERE org_id = {org:String} AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)}) AND own_tags != ''
    UNION ALL
    SELECT DISTINCT arrayJoin(mapKeys(labels)) AS key FROM kubernetes_cost_slot
    WHERE org_id = {org:String} AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)})
)
ORDER BY tag_key
LIMIT {limit:UInt32}
