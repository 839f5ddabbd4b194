-- Costs by day, ISO week or month ({granularity}) and up to three dimensions: one row for each of the {top} combinations of values with
-- the highest absolute sum, in this order, and one for all others at place {top} + 1. Combinations of {keys} come first, in their order.
-- `at` are the first days of periods that have costs, which may be before {from}; `costs` correspond to them by position, in US dollars. A
-- dimension that is not used is `nothing`. {services}, {subs}, {billers}, {purchases}, {categories}, {clusters}, {namespaces} and {uids}:
-- an empty list means all. With {invoices} it reads cost_slice_invoiced. {cost} is billed_cost, effective_cost, contracted_cost or
-- list_cost; the other parameters are those of the view cost_slice_tagged. Read by GET /reports/costs/series.
-- Marks: billers, categories, clusters, invoice, namespaces, purchases, services, subs, uids.
WITH leaf AS
(
    SELECT
        {d1:Identifier} AS d1, {d2:Identifier} AS d2, {d3:Identifier} AS d3,
        multiIf(
            {granularity:String} = 'monthly', day - (toDayOfMonth(day) - 1),
            {granularity:String} = 'weekly', day - (toDayOfWeek(day) - 1),
            day
        ) AS period,
        sum(cost) AS spent
    FROM
    (
        SELECT *, '' AS nothing, {cost:Identifier} AS cost
        FROM /*if no invoice*/cost_slice_tagged(
            org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
            providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
            types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
            scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
            tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
            dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},
            service_names = {service_names:Array(String)}, service_titles = {service_titles:Array(String)})/*else cost_slice_invoiced() end*/
        WHERE lines > 0
            /*if services*/AND (empty({services:Array(String)}) OR service_name IN {services:Array(String)})/*end*/
            /*if subs*/AND (empty({subs:Array(String)}) OR sub_account IN {subs:Array(String)})/*end*/
            /*if billers*/AND (empty({billers:Array(String)}) OR billing_account IN {billers:Array(String)})/*end*/
            /*if purchases*/AND (empty({purchases:Array(String)}) OR purchase_type IN {purchases:Array(String)})/*end*/
            /*if categories*/AND (empty({categories:Array(String)}) OR charge_category IN {categories:Array(String)})/*end*/
            /*if clusters*/AND (empty({clusters:Array(String)}) OR cluster IN {clusters:Array(String)})/*end*/
            /*if namespaces*/AND (empty({namespaces:Array(String)}) OR namespace IN {namespaces:Array(String)})/*end*/
            /*if uids*/AND (empty({uids:Array(String)}) OR resource_uid IN {uids:Array(String)})/*end*/
    )
    GROUP BY d1, d2, d3, period
),
series AS
(
    SELECT d1, d2, d3, indexOf({keys:Array(Array(String))}, [d1, d2, d3]) AS known, sum(spent) AS whole,
        groupArray(period) AS periods, groupArray(spent) AS amounts
    FROM leaf
    GROUP BY d1, d2, d3
),
ranked AS
(
    SELECT *, if(known > 0, known, length({keys:Array(Array(String))})
        + row_number() OVER (PARTITION BY known > 0 ORDER BY abs(whole) DESC, d1, d2, d3)) AS rank
    FROM series
)
SELECT
    least(rank, {top:UInt32} + 1) AS place,
    any(d1) AS d1, any(d2) AS d2, any(d3) AS d3,
    count() AS combinations,
    arrayMap(day -> toString(day), (sumMap(periods, amounts) AS sums).1) AS at,
    sums.2 AS costs
FROM ranked
GROUP BY place
ORDER BY place
