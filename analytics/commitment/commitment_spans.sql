-- Lifetime of the commitments {uids} in bills of the 1,200 days before {to} (longer than three years, the longest usual term): one row per
-- commitment, with the first day of its purchase (bought_on, '' if unknown), the last day in bills (last_day), and the first day with
-- bills of its account. All accounts count, regardless of the reader's scope, because a commitment that is still used elsewhere has not
-- ended. Read by GET /reports/commitments.
SELECT n.commitment_id AS commitment_id, n.cloud_account_id AS cloud_account_id, n.bought_on AS bought_on, n.last_day AS last_day,
    toString(b.since) AS billed_since
FROM
(
    SELECT commitment_id, cloud_account_id,
        if(countIf(charge_category = 'Purchase') = 0, '', toString(minIf(day, charge_category = 'Purchase'))) AS bought_on,
        toString(max(day)) AS last_day
    FROM usage_daily_slot
    WHERE org_id = {org:String} AND day BETWEEN {to:Date32} - 1200 AND {to:Date32} AND commitment_id IN {uids:Array(String)}
        AND charge_category IN ('Usage', 'Purchase')
        AND edition IN
        (
            SELECT edition FROM cost_day FINAL
            WHERE org_id = {org:String} AND day BETWEEN {to:Date32} - 1200 AND {to:Date32}
        )
    GROUP BY commitment_id, cloud_account_id
) AS n
INNER JOIN
(
    SELECT cloud_account_id, min(day) AS since
    FROM usage_daily_slot
    WHERE org_id = {org:String} AND day BETWEEN {to:Date32} - 1200 AND {to:Date32}
        AND edition IN
        (
            SELECT edition FROM cost_day FINAL
            WHERE org_id = {org:String} AND day BETWEEN {to:Date32} - 1200 AND {to:Date32}
        )
    GROUP BY cloud_account_id
) AS b ON b.cloud_account_id = n.cloud_account_id
ORDER BY commitment_id, cloud_account_id
