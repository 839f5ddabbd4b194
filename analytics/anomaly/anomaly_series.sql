-- Costs of one dimension on the {days} days up to {to}, with the figures that anomalies are judged by: one row per day, in US dollars.
-- `expected` is the mean of the days of the seven before that have costs, `charged` the same before credits; `prior_*` are mean and
-- deviation of those of the thirty days before. {from} is 30 days before the first of the days. No rows if no day has costs.
-- The dimension is one of {accounts}, {teams}, {uids} or the group {group}; all empty means the organization. {cost} is billed_cost,
-- effective_cost, contracted_cost or list_cost; the other parameters are those of the view cost_slice. Read by GET
-- /reports/anomalies/:anomalyID.
-- Marks: divided, group, owned, uids.
SELECT
    toString(at) AS date,
    countIf(day = at) > 0 AS is_known,
    toFloat64(sumIf(cost, day = at)) AS actual,
    countIf(day < at AND day >= at - 7) AS baseline_days,
    if(baseline_days = 0, 0, toFloat64(sumIf(cost, day < at AND day >= at - 7)) / baseline_days) AS expected,
    if(baseline_days = 0, 0, toFloat64(sumIf(cost - credit, day < at AND day >= at - 7)) / baseline_days) AS charged,
    countIf(day < at AND day >= at - 30) AS prior_days,
    if(prior_days = 0, 0, avgIf(toFloat64(cost), day < at AND day >= at - 30)) AS prior_mean,
    if(prior_days > 1, stddevSampIf(toFloat64(cost), day < at AND day >= at - 30), 0) AS prior_deviation
FROM
(
    SELECT day, sum({cost:Identifier}) AS cost, sumIf({cost:Identifier}, charge_category = 'Credit') AS credit
    FROM cost_slice(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    WHERE lines > 0/*if owned*//*end*/
        /*if uids*/AND (empty({uids:Array(String)}) OR resource_uid IN {uids:Array(String)} /*if divided*/OR hasAny(owner_uids, {uids:Array(String)})/*end*/)/*end*/
        /*if group*/AND ({group:String} = '' OR resource_uid IN
        (
            SELECT resource_uid FROM resource_group_member FINAL
            WHERE org_id = {org:String} AND removed = 0 AND group_id = {group:String}
        ) /*if divided*/OR hasAny(owner_uids, (
            SELECT groupArray(resource_uid) FROM resource_group_member FINAL
            WHERE org_id = {org:String} AND removed = 0 AND group_id = {group:String}
        ))/*end*/)/*end*/
    GROUP BY day
) AS of
CROSS JOIN (SELECT arrayJoin(arrayMap(back -> {to:Date32} - back, range({days:UInt8}))) AS at) AS days
GROUP BY at
ORDER BY at
