-- Total savings of each of the claims {claims}, over all days, in US dollars, exact: one row per claim. `unproved_days` are days with a
-- reason why no bill verifies them. Read by GET /reports/savings/claims.
SELECT
    claim_id,
    sum(ifNull(estimated, 0)) AS estimated_usd,
    sum(ifNull(observed, 0)) AS observed_usd,
    sum(ifNull(verified, 0)) AS verified_usd,
    sum(saved) AS saved_usd,
    countIf(isNotNull(verified)) AS proved_days,
    countIf(isNull(verified) AND reason != '') AS unproved_days
FROM saving_daily FINAL
WHERE org_id = {org:String} AND claim_id IN {claims:Array(String)}
GROUP BY claim_id
ORDER BY claim_id
