-- Stores the tags that lines of the days {days} have for resources that are not in the inventory, with the exports {bills}. Tags stored
-- for one of these days that its lines no longer have become empty. The inventory may be large, so only resources of these days are looked
-- up.
INSERT INTO billed_tag (org_id, cloud_account_id, resource_uid, tags, day, provider)
SELECT x_OrgId AS org_id, x_UsageAccountId AS cloud_account_id, ResourceId AS resource_uid,
    argMax(Tags, (Tags.size0 > 0, ChargePeriodStart, x_LineId)) AS tags, x_Day AS day, any(x_Provider) AS provider
FROM bill_row(days = {days:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
WHERE notEmpty(ResourceId)
    AND (Tags.size0 > 0 OR (x_OrgId, x_UsageAccountId, ResourceId, x_Day) IN
    (
        SELECT org_id, cloud_account_id, resource_uid, day
        FROM billed_tag FINAL
        WHERE (org_id, day) IN arrayMap(d -> (d.1, d.3), {days:Array(Tuple(String, String, Date32))}) AND notEmpty(tags)
    ))
    AND (x_OrgId, x_UsageAccountId, ResourceId) NOT IN
    (
        SELECT org_id, cloud_account_id, resource_uid
        FROM resource_state
        WHERE (org_id, cloud_account_id, resource_uid) IN
        (
            SELECT x_OrgId, x_UsageAccountId, ResourceId
            FROM bill_row(days = {days:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
            WHERE notEmpty(ResourceId)
        )
    )
GROUP BY org_id, cloud_account_id, resource_uid, day
