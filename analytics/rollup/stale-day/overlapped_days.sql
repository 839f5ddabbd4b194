-- Days with lines left out because another bill has the same charges: one row per day, with the exports its sums were computed from.
SELECT cloud_account_id, toString(day) AS day, bills
FROM cost_day FINAL
WHERE org_id = {org:String} AND (cloud_account_id, day) IN
(
    SELECT cloud_account_id, day FROM bill_shadow FINAL WHERE org_id = {org:String} AND lines > 0
)
