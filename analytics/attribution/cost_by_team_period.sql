-- Cost of each team, and the part that rules distributed, by day (daily), ISO week (weekly) or month (monthly), in US dollars: one row per
-- period and team that has costs, oldest first. {cost} is billed_cost, effective_cost, contracted_cost or list_cost; the other parameters
-- are those of the view cost_slice. Read by GET /reports/teams/trends.
SELECT
    team_id,
    multiIf(
        {granularity:String} = 'monthly', formatDateTime(day, '%Y-%m'),
        {granularity:String} = 'weekly', formatDateTime(day, '%G-W%V'),
        toString(day)
    ) AS period,
    sum({cost:Identifier}) AS cost_usd,
    sumIf({cost:Identifier}, place > 0) AS shared_usd
FROM cost_slice(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
GROUP BY team_id, period
HAVING sum(lines) > 0
ORDER BY team_id, period
