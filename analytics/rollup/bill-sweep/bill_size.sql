-- Stored exports of bills: one row per export, with its number of rows and whether the sums of any day still depend on its lines. Read by
-- the deletion of replaced exports.
SELECT
    x_OrgId AS org_id,
    x_CloudAccountId AS cloud_account_id,
    x_BillingPeriod AS period,
    x_ExportId AS export,
    toUInt32(count()) AS stored,
    concat(replaceOne(toString(max(x_ExportedAt)), ' ', 'T'), 'Z') AS exported_at,
    max((x_OrgId, x_CloudAccountId, x_Day, x_BillingPeriod, x_ExportId) IN
        (SELECT org_id, cloud_account_id, day, tupleElement(bill, 1), tupleElement(bill, 2) FROM cost_day FINAL ARRAY JOIN bills AS bill)) AS is_shown
FROM bill_line
GROUP BY org_id, cloud_account_id, period, export
ORDER BY period, org_id, cloud_account_id, export
