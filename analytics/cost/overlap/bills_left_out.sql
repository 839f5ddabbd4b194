-- Costs in bills of each account from {from} to {to} that no report counts because bills of other accounts (counted) also have them: one
-- row per account, in US dollars, with the first and last month. Days that were never summed have none. Read by GET /billing/sync-status.
SELECT cloud_account_id, formatDateTime(min(day), '%Y-%m') AS first_month, formatDateTime(max(day), '%Y-%m') AS last_month,
    arraySort(groupUniqArrayArray(counted_in)) AS counted, toUInt32(uniqExact(day)) AS days, sum(billed_cost) AS left_out_usd
FROM bill_shadow FINAL
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND lines > 0
    AND (cloud_account_id, day) IN
        (SELECT cloud_account_id, day FROM cost_day FINAL WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32})
GROUP BY cloud_account_id
ORDER BY cloud_account_id
