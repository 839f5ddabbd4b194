-- Every bill line that counts: one row per line, with FOCUS columns under their own names and our columns as x_. Costs are US dollars,
-- times UTC; an empty text means null.
-- Left out are lines that a restatement replaced or moved, lines of replaced exports, lines that a bill of another account also has
-- (bill_shadow), and estimates of a charge (account, day, resource, or service if there is no resource) that has an actual line.
-- x_Provider is a cloud or other; ServiceProviderName then has the provider's name. Lines sent alone are as fresh as the last commit;
-- lines of an export (x_ExportId, of the billing period x_BillingPeriod) change together with the sums of their day. Always filter by
-- x_OrgId, and by days where you can: both reduce what is read.
CREATE OR REPLACE VIEW cost_lines AS
SELECT * EXCEPT (x_Deleted, x_Version, x_Lone, actual)
    REPLACE (if(x_Provider IN ('', 'aws', 'gcp', 'azure'), x_Provider, 'other') AS x_Provider)
FROM
(
    SELECT
        *,
        max(x_Source = 'actual') OVER
        (
            PARTITION BY x_OrgId, x_CloudAccountId, x_Day, ResourceId, if(empty(ResourceId), ServiceName, '')
        ) AS actual
    FROM cost_row
    WHERE
        (
            x_ExportId = ''
            AND (x_Lone = 1 OR (x_OrgId, x_CloudAccountId, x_Day, formatDateTime(ifNull(toDate32(BillingPeriodStart), x_Day), '%Y-%m')) NOT IN
                (SELECT org_id, cloud_account_id, day, tupleElement(bill, 1) FROM cost_day FINAL ARRAY JOIN bills AS bill))
        )
        OR
        (
            x_ExportId != ''
            AND (x_OrgId, x_CloudAccountId, x_Day, x_BillingPeriod, x_ExportId) IN
                (SELECT org_id, cloud_account_id, day, tupleElement(bill, 1), tupleElement(bill, 2) FROM cost_day FINAL ARRAY JOIN bills AS bill)
        )
)
WHERE (x_Source = 'actual' OR actual = 0)
    AND (x_OrgId, x_CloudAccountId, x_Day, multiIf(
        x_Provider = 'azure', lowerUTF8(replaceRegexpOne(SubAccountId, '^/subscriptions/', '')),
        x_Provider = 'aws' AND length(SubAccountId) < 12 AND match(SubAccountId, '^[0-9]+$'), leftPad(SubAccountId, 12, '0'),
        SubAccountId)) NOT IN
    (
        SELECT org_id, cloud_account_id, day, sub_account_id
        FROM bill_shadow FINAL
        GROUP BY org_id, cloud_account_id, day, sub_account_id
        HAVING max(lines) > 0
    )
