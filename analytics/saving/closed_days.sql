-- Days from {from} to {to} for which an account has actual lines, not only estimates: one row per account. Read by the measurement of
-- savings and by reports that compare periods.
SELECT cloud_account_id, arraySort(groupUniqArray(toString(day))) AS days
FROM cost_service_daily_slot
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND lines > estimated_lines
    AND edition IN (SELECT edition FROM cost_day FINAL WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32})
GROUP BY cloud_account_id
ORDER BY cloud_account_id
