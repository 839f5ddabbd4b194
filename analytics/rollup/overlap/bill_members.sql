-- Which connected accounts the lines of bills of the days {days} are about, other than the one that was billed, when the exports {bills} are
-- shown, and whether any is about that one. Estimates do not count: no bill has them.
SELECT x_OrgId AS org_id, x_CloudAccountId AS cloud_account_id, toString(x_Day) AS day,
    groupUniqArrayIf(toString(x_UsageAccountId), x_UsageAccountId != x_CloudAccountId) AS members,
    max(x_UsageAccountId = x_CloudAccountId) AS is_own
FROM bill_row(days = {days:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
WHERE x_Source = 'actual'
GROUP BY org_id, cloud_account_id, day
