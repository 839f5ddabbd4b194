-- Days of some accounts with a charge without a resource type that the inventory now knows: one row per day, with the exports its sums
-- were computed from.
SELECT cloud_account_id, toString(day) AS day, bills
FROM cost_day FINAL
WHERE org_id = {org:String} AND edition IN
(
    SELECT edition
    FROM cost_daily_slot
    WHERE org_id = {org:String} AND cloud_account_id IN {accounts:Array(String)}
        AND resource_type = '' AND resource_uid != ''
        AND edition IN (SELECT edition FROM cost_day FINAL WHERE org_id = {org:String})
        AND (cloud_account_id, resource_uid) IN
        (
            SELECT cloud_account_id, resource_uid
            FROM resource_state FINAL
            WHERE org_id = {org:String} AND cloud_account_id IN {accounts:Array(String)} AND type != ''
        )
)
