-- Days of the 30 before {today} for which the organization, or one of its accounts, has sums of costs but none of usage: one row per day.
-- Nothing is known by component or commitment for these days. Read by the sweep of recommendations.
SELECT toUInt32(uniqExact(day, cloud_account_id)) AS days
FROM cost_service_daily_slot
WHERE org_id = {org:String} AND day BETWEEN {today:Date32} - 30 AND {today:Date32} - 1
    AND (empty({account:String}) OR cloud_account_id = {account:String})
    AND edition IN
    (
        SELECT edition FROM cost_day FINAL
        WHERE org_id = {org:String} AND day BETWEEN {today:Date32} - 30 AND {today:Date32} - 1
    )
    AND edition NOT IN
    (
        SELECT edition FROM usage_daily_slot
        WHERE org_id = {org:String} AND day BETWEEN {today:Date32} - 30 AND {today:Date32} - 1
    )
