-- Days of all organizations that were published under a later generation than {generation}. One row per account and day.
SELECT org_id, cloud_account_id, toString(day) AS day
FROM cost_day FINAL
WHERE cost_day.generation > {generation:UInt64}
ORDER BY day, org_id, cloud_account_id
