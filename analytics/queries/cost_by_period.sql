-- What an organization spent, by day (daily), ISO week (weekly) or month (monthly), oldest first. Periods at the ends count
-- only the days asked for; periods without cost are there with 0.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost. An empty list means all.
SELECT
    multiIf(
        {granularity:String} = 'monthly', formatDateTime(day, '%Y-%m'),
        {granularity:String} = 'weekly', formatDateTime(day, '%G-W%V'),
        toString(day)
    ) AS period,
    sum(cost) AS cost_usd
FROM
(
    SELECT day, sum({cost:Identifier}) AS cost
    FROM cost_service_daily_slot
    WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        AND edition IN
        (
            SELECT edition FROM cost_day FINAL
            WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        )
        AND (empty({providers:Array(String)}) OR provider IN {providers:Array(String)})
        AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})
        AND (empty({regions:Array(String)}) OR region IN {regions:Array(String)})
        AND (empty({types:Array(String)}) OR resource_type IN {types:Array(String)})
        AND (empty({teams:Array(String)}) OR has({teams:Array(String)}, 'unassigned'))
    GROUP BY day
    UNION ALL
    SELECT {from:Date32} + number AS day, toDecimal128(0, 14) AS cost
    FROM numbers(toUInt64(dateDiff('day', {from:Date32}, {to:Date32}) + 1))
)
GROUP BY period
ORDER BY period
