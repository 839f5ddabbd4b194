-- How the commitments {uids} were used over the 30 days before {today}, by whatever accounts of the organization: effective cost of what
-- they covered and of what nobody used, and what they covered would have cost without them.
SELECT
    commitment_id,
    toFloat64(sumIf(effective_cost, part = 'used')) AS used_usd,
    toFloat64(sumIf(effective_cost, part = 'unused')) AS unused_usd,
    toFloat64(sum(on_demand_equivalent)) AS covered_usd
FROM commitment_use(org = {org:String}, from = {today:Date32} - 30, to = {today:Date32} - 1)
WHERE commitment_id IN {uids:Array(String)}
GROUP BY commitment_id
ORDER BY commitment_id
