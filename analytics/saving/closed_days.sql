-- The days from {from} to {to} of which an account has actual lines, and not estimates alone.
SELECT cloud_account_id, arraySort(groupUniqArray(toString(day))) AS days
FROM cost_service_daily_slot
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND lines > estimated_lines
    AND edition IN (SELECT edition FROM cost_day FINAL WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32})
GROUP BY cloud_account_id
ORDER BY cloud_account_id
