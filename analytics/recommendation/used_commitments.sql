-- How the commitments {uids} were used over the 30 days before {today}, by whatever accounts of the organization: effective cost of what
-- they covered and of what nobody used, and the list cost of what they covered.
SELECT
    commitment_id,
    toFloat64(sumIf(effective_cost, charge_category = 'Usage' AND commitment_status != 'Unused')) AS used_usd,
    toFloat64(sumIf(effective_cost, commitment_status = 'Unused')) AS unused_usd,
    toFloat64(sumIf(list_cost, charge_category = 'Usage' AND commitment_status != 'Unused')) AS covered_list_usd
FROM usage_daily_slot
WHERE org_id = {org:String} AND day BETWEEN {today:Date32} - 30 AND {today:Date32} - 1 AND commitment_id IN {uids:Array(String)}
    AND edition IN
    (
        SELECT edition FROM cost_day FINAL
        WHERE org_id = {org:String} AND day BETWEEN {today:Date32} - 30 AND {today:Date32} - 1
    )
GROUP BY commitment_id
ORDER BY commitment_id
