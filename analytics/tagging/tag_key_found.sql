-- Whether anything of an organization has the tag {key}: a resource of the inventory or of bills, an accepted tag, a line without a
-- resource, a pod. One row if anything has. Azure keys are the same in upper and lower case. {scoped} 1 looks only in {scope_accounts}.
-- Read by the check of tag keys in requests.
SELECT 1 AS found
FROM
(
    SELECT 1 FROM resource_state
    WHERE org_id = {org:String} AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)})
        AND (mapContains(tags, {key:String}) OR provider = 'azure' AND arrayExists(k -> lowerUTF8(k) = lowerUTF8({key:String}), mapKeys(tags)))
    LIMIT 1
    UNION ALL
    SELECT 1 FROM billed_tag
    WHERE org_id = {org:String} AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)})
        AND (mapContains(tags, {key:String}) OR provider = 'azure' AND arrayExists(k -> lowerUTF8(k) = lowerUTF8({key:String}), mapKeys(tags)))
    LIMIT 1
    UNION ALL
    SELECT 1 FROM accepted_tag
    WHERE org_id = {org:String} AND {scoped:UInt8} = 0 AND mapContains(tags, {key:String})
    LIMIT 1
    UNION ALL
    SELECT 1 FROM cost_daily_slot
    WHERE org_id = {org:String} AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)}) AND own_tags != ''
        AND (has(JSONExtractKeys(toString(own_tags)), {key:String})
            OR provider = 'azure' AND arrayExists(k -> lowerUTF8(k) = lowerUTF8({key:String}), JSONExtractKeys(toString(own_tags))))
    LIMIT 1
    UNION ALL
    SELECT 1 FROM kubernetes_cost_slot
    WHERE org_id = {org:String} AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)}) AND mapContains(labels, {key:String})
    LIMIT 1
)
LIMIT 1
