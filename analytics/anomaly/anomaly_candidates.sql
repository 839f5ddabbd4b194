-- Dimensions whose cost on the day {to} is at least {percent} per cent above the mean of the seven days before: one row per dimension, of
-- all five types of the view dimension_costs, in US dollars. The mean (`expected`) is over days that have costs; there must be at least
-- {days_min} of them, and the mean must be at least {usd_min}. If it is lower, the mean before credits (`charged`) is used instead, for
-- all bounds.
-- `credit_days` of the seven days had credits, the last of all on `credited_until` ('' if none); `charged_now` is the cost of {to} before
-- credits. `prior_*` are over the days from {from}, 30 days before {to}, that have costs. `cloud_account_id` and `team_id` are those of a
-- resource. {cost} is billed_cost, effective_cost, contracted_cost or list_cost; the other parameters are those of the view cost_slice.
-- Read by the anomaly job and the replay of anomaly settings.
SELECT
    found.type AS type,
    found.key AS key,
    actual,
    baseline_days,
    expected,
    charged,
    charged_now,
    credit_days,
    if(credit_days = 0, '', toString(last_credit)) AS credited_until,
    prior_days,
    prior_mean,
    prior_deviation,
    account_of AS cloud_account_id,
    if(own.team_id = '', 'unassigned', own.team_id) AS team_id
FROM
(
    SELECT
        type,
        key,
        toFloat64(sumIf(cost, day = {to:Date32})) AS actual,
        countIf(day < {to:Date32} AND day >= {to:Date32} - 7) AS baseline_days,
        toFloat64(sumIf(cost, day < {to:Date32} AND day >= {to:Date32} - 7)) / baseline_days AS expected,
        toFloat64(sumIf(cost - credit, day < {to:Date32} AND day >= {to:Date32} - 7)) / baseline_days AS charged,
        toFloat64(sumIf(cost - credit, day = {to:Date32})) AS charged_now,
        countIf(credit < 0 AND day < {to:Date32} AND day >= {to:Date32} - 7) AS credit_days,
        maxIf(day, credit < 0 AND day < {to:Date32}) AS last_credit,
        countIf(day < {to:Date32}) AS prior_days,
        avgIf(toFloat64(cost), day < {to:Date32}) AS prior_mean,
        if(prior_days > 1, stddevSampIf(toFloat64(cost), day < {to:Date32}), 0) AS prior_deviation,
        argMaxIf(account, cost, day = {to:Date32}) AS account_of
    FROM dimension_costs(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
        cost = {cost:String}, days = [], dim_types = [], dim_keys = [])
    GROUP BY type, key
    HAVING baseline_days >= {days_min:UInt8} AND (if(expected >= {usd_min:Float64} - 1e-9, expected, charged) AS scale) >= {usd_min:Float64} - 1e-9
        AND 100 * (actual - expected) / scale >= {percent:Float64} - 1e-9
) AS found
LEFT ANY JOIN resource_teams(org = {org:String}) AS own ON own.resource_uid = found.key AND found.type = 'resource'
ORDER BY type, key
