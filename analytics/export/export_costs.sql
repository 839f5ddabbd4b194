-- Costs and savings by up to twelve dimensions: one row per combination of their values, in US dollars. A dimension that is not used is
-- `nothing`. {services}, {purchases}, {categories}, {billers}, {subs}, {clusters}, {namespaces} and {uids}: an empty list means all.
-- With {invoices} it reads cost_slice_invoiced. {cost} is billed_cost, effective_cost, contracted_cost or list_cost; the other
-- parameters are those of the view cost_slice_tagged. Read by cost exports.
-- Marks: billers, categories, clusters, invoice, namespaces, purchases, services, subs, uids.
SELECT
    {d1:Identifier} AS d1, {d2:Identifier} AS d2, {d3:Identifier} AS d3, {d4:Identifier} AS d4, {d5:Identifier} AS d5,
    {d6:Identifier} AS d6, {d7:Identifier} AS d7, {d8:Identifier} AS d8, {d9:Identifier} AS d9, {d10:Identifier} AS d10,
    {d11:Identifier} AS d11, {d12:Identifier} AS d12,
    sum(cost) AS cost_usd,
    sum({saved:Identifier}) AS savings_usd
FROM
(
    SELECT *, toString(day) AS date, formatDateTime(day, '%Y-%m') AS month, '' AS nothing, {cost:Identifier} AS cost
    FROM /*if no invoice*/cost_slice_tagged(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
        dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},
        service_names = {service_names:Array(String)}, service_titles = {service_titles:Array(String)})/*else cost_slice_invoiced() end*/
    WHERE true
        /*if services*/AND (empty({services:Array(String)}) OR service_name IN {services:Array(String)})/*end*/
        /*if subs*/AND (empty({subs:Array(String)}) OR sub_account IN {subs:Array(String)})/*end*/
        /*if billers*/AND (empty({billers:Array(String)}) OR billing_account IN {billers:Array(String)})/*end*/
        /*if purchases*/AND (empty({purchases:Array(String)}) OR purchase_type IN {purchases:Array(String)})/*end*/
        /*if categories*/AND (empty({categories:Array(String)}) OR charge_category IN {categories:Array(String)})/*end*/
        /*if clusters*/AND (empty({clusters:Array(String)}) OR cluster IN {clusters:Array(String)})/*end*/
        /*if namespaces*/AND (empty({namespaces:Array(String)}) OR namespace IN {namespaces:Array(String)})/*end*/
        /*if uids*/AND (empty({uids:Array(String)}) OR resource_uid IN {uids:Array(String)})/*end*/
)
GROUP BY d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12
ORDER BY d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12
