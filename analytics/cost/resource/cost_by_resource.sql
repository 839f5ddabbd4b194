-- A page of resources with their costs and savings in US dollars, and their total number: one row per resource, and one for costs without
-- a resource. {sort} is cost_usd, savings_usd or name, ascending if {asc} is 1. {services}, {subs}, {billers}, {purchases}, {categories},
-- {clusters}, {namespaces} and {uids}: an empty list means all. With {invoices} it reads cost_slice_invoiced. {cost} is billed_cost,
-- effective_cost, contracted_cost or list_cost; the other parameters are those of the view cost_slice_tagged. Read by GET
-- /reports/costs/resources.
-- Marks: billers, categories, clusters, invoice, namespaces, purchases, services, subs, uids.
WITH charged AS
(
    SELECT resource_uid, sum({cost:Identifier}) AS cost_usd, sum({saved:Identifier}) AS savings_usd
    FROM /*if no invoice*/cost_slice_tagged(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
        dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},
        service_names = [], service_titles = [])/*else cost_slice_invoiced() end*/
    WHERE true
        /*if services*/AND (empty({services:Array(String)}) OR service_name IN {services:Array(String)})/*end*/
        /*if subs*/AND (empty({subs:Array(String)}) OR sub_account IN {subs:Array(String)})/*end*/
        /*if billers*/AND (empty({billers:Array(String)}) OR billing_account IN {billers:Array(String)})/*end*/
        /*if purchases*/AND (empty({purchases:Array(String)}) OR purchase_type IN {purchases:Array(String)})/*end*/
        /*if categories*/AND (empty({categories:Array(String)}) OR charge_category IN {categories:Array(String)})/*end*/
        /*if clusters*/AND (empty({clusters:Array(String)}) OR cluster IN {clusters:Array(String)})/*end*/
        /*if namespaces*/AND (empty({namespaces:Array(String)}) OR namespace IN {namespaces:Array(String)})/*end*/
        /*if uids*/AND (empty({uids:Array(String)}) OR resource_uid IN {uids:Array(String)})/*end*/
    GROUP BY resource_uid
),
named AS
(
    SELECT resource_uid, name
    FROM resource_state FINAL
    WHERE org_id = {org:String} AND {sort:String} = 'name'
)
SELECT resource_uid, cost_usd, savings_usd, count() OVER () AS total
FROM charged
LEFT ANY JOIN named ON named.resource_uid = charged.resource_uid
ORDER BY
    if({sort:String} = 'cost_usd', if({asc:UInt8}, cost_usd, -cost_usd), toDecimal128(0, 14)),
    if({sort:String} = 'savings_usd', if({asc:UInt8}, savings_usd, -savings_usd), toDecimal128(0, 14)),
    if({sort:String} = 'name' AND {asc:UInt8}, if(name = '', resource_uid, name), ''),
    if({sort:String} = 'name' AND NOT {asc:UInt8}, if(name = '', resource_uid, name), '') DESC,
    resource_uid
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
