-- How current the bills of each billed account are from {from} to {to}, both included: one row per account, with the first and the newest
-- day with lines of a bill, and the newest day that another export confirmed with the same sums ('' if none). {as_of} is a UTC time after
-- which publications do not count, '' means now. {accounts} are usage accounts: billed accounts with costs of any of them count. Read by
-- cost reports.
SELECT
    cloud_account_id,
    toString(min(day)) AS billed_since,
    toString(max(day)) AS billed_through,
    if(countIf(sums = earlier_sums) = 0, '', toString(maxIf(day, sums = earlier_sums))) AS confirmed_through
FROM
(
    SELECT s.account AS cloud_account_id, s.day AS day,
        anyIf(s.sums, d.is_current = 1) AS sums, anyIf(s.sums, d.is_current = 0) AS earlier_sums,
        max(d.is_current = 1 AND s.is_billed) AS is_billed
    FROM
    (
        SELECT if(billing_account_id = '', cloud_account_id, billing_account_id) AS account, day, edition,
            sum(lines) > sum(estimated_lines) AS is_billed,
            (sum(billed_cost), sum(effective_cost), sum(contracted_cost), sum(list_cost), sum(lines)) AS sums
        FROM cost_service_daily_slot
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
            AND (empty({providers:Array(String)}) OR provider IN {providers:Array(String)} OR has({providers:Array(String)}, '*') AND provider NOT IN ('', 'aws', 'gcp', 'azure'))
        GROUP BY account, day, edition
    ) AS s
    -- The edition that counts, and the one before it if the day's bills have changed since.
    INNER JOIN
    (
        SELECT pair.1 AS counted, pair.2 AS is_current
        FROM
        (
            SELECT if({as_of:String} = '' OR published_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC'), edition, before_edition) AS current,
                [(current, 1), (if(current = edition AND notEmpty(before_bills) AND bills != before_bills, before_edition, 0), 0)] AS pairs
            FROM cost_day FINAL
            WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
                AND (empty({accounts:Array(String)}) OR cloud_account_id IN
                (
                    SELECT DISTINCT if(billing_account_id = '', cloud_account_id, billing_account_id)
                    FROM cost_service_daily_slot
                    WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND cloud_account_id IN {accounts:Array(String)}
                ))
        )
        ARRAY JOIN pairs AS pair
    ) AS d ON d.counted = s.edition
    GROUP BY cloud_account_id, day
)
WHERE is_billed
GROUP BY cloud_account_id
ORDER BY cloud_account_id
