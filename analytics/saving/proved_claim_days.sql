-- The last 28 days at most up to {to} that bills verify, newest first, of the claims {claims}: one row per claim that has any, with `days`
-- and the verified savings in US dollars, by position. Read by GET /reports/savings/projection.
SELECT claim_id, groupArray(toString(day)) AS days, groupArray(toString(usd)) AS verified_usd
FROM
(
    SELECT claim_id, day, sum(ifNull(verified, toDecimal128(0, 14))) AS usd
    FROM saving_daily FINAL
    WHERE org_id = {org:String} AND claim_id IN {claims:Array(String)} AND isNotNull(verified)
        AND day BETWEEN {to:Date32} - 400 AND {to:Date32}
    GROUP BY claim_id, day
    ORDER BY claim_id, day DESC
    LIMIT 28 BY claim_id
)
GROUP BY claim_id
ORDER BY claim_id
