-- Days from {from} to {to}, both included, on which each account has costs: one row per account. Read by the anomaly job.
SELECT cloud_account_id, arraySort(groupUniqArray(toString(day))) AS days
FROM cost_service_daily_slot
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    AND edition IN
    (
        SELECT edition FROM cost_day FINAL
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    )
GROUP BY cloud_account_id
ORDER BY cloud_account_id
