-- The days of which lines are left out because another bill has the same charges, with the exports that their sums were worked out from.
SELECT cloud_account_id, toString(day) AS day, bills
FROM cost_day FINAL
WHERE org_id = {org:String} AND (cloud_account_id, day) IN
(
    SELECT cloud_account_id, day FROM bill_shadow FINAL WHERE org_id = {org:String} AND lines > 0
)
