-- The first day of the 1,200 before {to} on which each of the commitments {uids} was bought, in the accounts {accounts}, of which none
-- means all: longer than three years, the longest term.
SELECT commitment_id, cloud_account_id, toString(min(day)) AS bought_on
FROM usage_daily_slot
WHERE org_id = {org:String} AND day BETWEEN {to:Date32} - 1200 AND {to:Date32}
    AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})
    AND charge_category = 'Purchase' AND commitment_id IN {uids:Array(String)}
    AND edition IN
    (
        SELECT edition FROM cost_day FINAL
        WHERE org_id = {org:String} AND day BETWEEN {to:Date32} - 1200 AND {to:Date32}
    )
GROUP BY commitment_id, cloud_account_id
ORDER BY commitment_id, cloud_account_id
