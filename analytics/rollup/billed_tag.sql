-- Notes the tags that the lines of the days {days} give, the exports {bills} being shown, resources which the inventory does not know.
INSERT INTO billed_tag
SELECT x_OrgId AS org_id, x_CloudAccountId AS cloud_account_id, ResourceId AS resource_uid,
    argMax(Tags, (ChargePeriodStart, x_LineId)) AS tags, x_Day AS day
FROM bill_row(days = {days:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
WHERE notEmpty(ResourceId) AND Tags.size0 > 0
    AND (x_OrgId, x_CloudAccountId, ResourceId) NOT IN
    (
        SELECT org_id, cloud_account_id, resource_uid
        FROM resource_state
        WHERE (org_id, cloud_account_id) IN
            arrayMap(d -> (d.1, d.2), {days:Array(Tuple(String, String, Date32))})
    )
GROUP BY org_id, cloud_account_id, resource_uid, day
