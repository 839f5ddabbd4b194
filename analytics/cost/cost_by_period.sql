-- What an organization spent and saved, by day (daily), ISO week (weekly) or month (monthly), oldest first. Periods at the ends
-- count only the days asked for; periods without cost are there with 0.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost; the other parameters are those of the view cost_slice.
SELECT
    multiIf(
        {granularity:String} = 'monthly', formatDateTime(day, '%Y-%m'),
        {granularity:String} = 'weekly', formatDateTime(day, '%G-W%V'),
        toString(day)
    ) AS period,
    sum(cost) AS cost_usd,
    sum(savings) AS savings_usd
FROM
(
    SELECT day, sum({cost:Identifier}) AS cost, sum({saved:Identifier}) AS savings
    FROM cost_slice(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    GROUP BY day
    UNION ALL
    SELECT {from:Date32} + number AS day, toDecimal128(0, 14) AS cost, toDecimal128(0, 14) AS savings
    FROM numbers(toUInt64(dateDiff('day', {from:Date32}, {to:Date32}) + 1))
)
GROUP BY period
ORDER BY period
