-- What each of the claims {claims} has come to on all its days: US dollars, exact; `unproved_days` are those that say why no bill
-- proves them.
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
