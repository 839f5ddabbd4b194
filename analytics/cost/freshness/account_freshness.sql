-- How current the bills of each billed account are from {from} to {to}, both included: one row per account, with the first and the newest
-- day with lines of a bill, and the newest day that another export confirmed with the same sums ('' if none). {as_of} is a UTC time after
-- which publications do not count, '' means now. {accounts} are usage accounts: billed accounts with costs of any of them count. Read by
-- cost reports.
WITH
    d AS
    (
        SELECT
            if({as_of:String} = '' OR published_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC'), edition, before_edition) AS current,
            if(current = edition AND notEmpty(before_bills) AND bills != before_bills, before_edition, 0) AS earlier
        FROM cost_day FINAL
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
            AND (empty({accounts:Array(String)}) OR cloud_account_id IN
            (
                SELECT DISTINCT if(billing_account_id = '', cloud_account_id, billing_account_id)
                FROM cost_service_daily_slot
                WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND cloud_account_id IN {accounts:Array(String)}
            ))
    ),
    s AS
    (
        SELECT if(billing_account_id = '', s.cloud_account_id, billing_account_id) AS cloud_account_id, day, edition,
            sum(lines) > sum(estimated_lines) AS is_billed,
            (sum(billed_cost), sum(effective_cost), sum(contracted_cost), sum(list_cost), sum(lines)) AS sums
        FROM cost_service_daily_slot AS s
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
            AND (empty({providers:Array(String)}) OR provider IN {providers:Array(String)} OR has({providers:Array(String)}, '*') AND provider NOT IN ('', 'aws', 'gcp', 'azure'))
            AND edition IN (SELECT arrayJoin([current, earlier]) FROM d)
        GROUP BY cloud_account_id, day, edition
    )
SELECT
    n.cloud_account_id AS cloud_account_id,
    toString(min(n.day)) AS billed_since,
    toString(max(n.day)) AS billed_through,
    if(countIf(n.sums = e.sums) = 0, '', toString(maxIf(n.day, n.sums = e.sums))) AS confirmed_through
FROM s AS n
INNER JOIN d ON d.current = n.edition
LEFT JOIN s AS e ON e.edition = d.earlier
WHERE n.is_billed
GROUP BY n.cloud_account_id
ORDER BY n.cloud_account_id
