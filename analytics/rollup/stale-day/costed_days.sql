-- Days from {from} to {to} of an organization that have sums or bill lines, so that they can be recomputed. One row per account and day.
SELECT DISTINCT {org:String} AS org_id, cloud_account_id, toString(day) AS day
FROM
(
    SELECT CAST(cloud_account_id, 'String') AS cloud_account_id, day FROM cost_day
    WHERE org_id = {org:String} AND day BETWEEN toDate32({from:String}) AND toDate32({to:String})
    UNION ALL
    SELECT CAST(x_CloudAccountId, 'String') AS cloud_account_id, x_Day AS day FROM cost_fact
    WHERE x_OrgId = {org:String} AND x_Day BETWEEN toDate32({from:String}) AND toDate32({to:String})
    UNION ALL
    SELECT CAST(x_CloudAccountId, 'String') AS cloud_account_id, x_Day AS day FROM bill_line
    WHERE x_OrgId = {org:String} AND x_Day BETWEEN toDate32({from:String}) AND toDate32({to:String})
)
ORDER BY day, cloud_account_id
