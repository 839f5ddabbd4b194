-- Connected accounts that lines of the days {days} are about, other than the billed account, with the exports {bills}, and whether any
-- line is about the billed account. One row per day and account. Estimates do not count, because no bill has them.
SELECT x_OrgId AS org_id, x_CloudAccountId AS cloud_account_id, toString(x_Day) AS day,
    groupUniqArrayIf(toString(x_UsageAccountId), x_UsageAccountId != x_CloudAccountId) AS members,
    max(x_UsageAccountId = x_CloudAccountId) AS is_own
FROM bill_row(days = {days:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
WHERE x_Source = 'actual'
GROUP BY org_id, cloud_account_id, day
