-- Daily charges from {from} to {to}, both included: one row per day and charge category that has lines, in US dollars. Charges on at most
-- three days of a month are separate, with their service: `seldom` is then 1, and `stream` identifies charges of one kind. {services},
-- {purchases}, {categories}, {billers}, {subs}, {clusters}, {namespaces} and {uids}: an empty list means all. With {invoices} it reads
-- cost_slice_invoiced. {cost} is billed_cost, effective_cost, contracted_cost or list_cost; the other parameters are those of the view
-- cost_slice_tagged. Read by GET /reports/forecast.
-- Marks: billers, categories, clusters, invoice, namespaces, purchases, services, subs, uids.
SELECT
    toString(on_day) AS day,
    category,
    toUInt8(rare AND cost != 0) AS seldom,
    if(seldom, of.1, '') AS service_name,
    if(seldom, toString(cityHash64(of)), '') AS stream,
    sum(cost) AS cost_usd
FROM
(
    SELECT on_day, category, of, cost,
        countIf(cost != 0) OVER (PARTITION BY category, of)
            <= 3 * uniqExactIf(toYYYYMM(on_day), cost != 0) OVER (PARTITION BY category, of) AS rare
    FROM
    (
        SELECT day AS on_day, charge_category AS category, (shown_service, resource_type, purchase_type) AS of, sum({cost:Identifier}) AS cost
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
        GROUP BY on_day, category, of
    )
)
GROUP BY day, category, seldom, service_name, stream
ORDER BY day, category, seldom, service_name, stream
