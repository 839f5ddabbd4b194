-- Usage of the commitments {uids} in the 30 days before {today}, by any account of the organization: one row per commitment, with the
-- effective cost of covered and of unused commitment, and what the covered usage would have cost without it, in US dollars. Ids are
-- compared and returned in lower case, because FOCUS exports of Azure write them in mixed case. Read by the sweep of recommendations.
SELECT
    lower(c.commitment_id) AS commitment_id,
    toFloat64(sumIf(effective_cost, part = 'used')) AS used_usd,
    toFloat64(sumIf(effective_cost, part = 'unused')) AS unused_usd,
    toFloat64(sum(on_demand_equivalent)) AS covered_usd
FROM commitment_use(org = {org:String}, from = {today:Date32} - 30, to = {today:Date32} - 1) AS c
WHERE lower(c.commitment_id) IN arrayMap(uid -> lower(uid), {uids:Array(String)})
GROUP BY commitment_id
ORDER BY commitment_id
