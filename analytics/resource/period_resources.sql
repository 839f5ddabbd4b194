-- The number of resources that were in the inventory at any time of a range of days, both included, or had a bill line in it: one row.
-- {billed_only} 1 counts only the latter. {services}, {purchases}, {categories}, {billers}, {subs}, {clusters}, {namespaces} and {uids}:
-- an empty list means all. With {invoices} it reads cost_slice_invoiced. The parameters are those of the view cost_slice_tagged. Read by
-- GET /reports/summary and the snapshot job.
-- Marks: billed_only, billers, categories, clusters, invoice, namespaces, purchases, services, subs, uids.
SELECT uniqExact(cloud_account_id, resource_uid) AS resources
FROM
(
    SELECT cloud_account_id, resource_uid
    FROM /*if no invoice*/cost_slice_tagged(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
        dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},
        service_names = [], service_titles = [])/*else cost_slice_invoiced() end*/
    WHERE resource_uid != '' AND lines > 0
        /*if services*/AND (empty({services:Array(String)}) OR service_name IN {services:Array(String)})/*end*/
        /*if subs*/AND (empty({subs:Array(String)}) OR sub_account IN {subs:Array(String)})/*end*/
        /*if billers*/AND (empty({billers:Array(String)}) OR billing_account IN {billers:Array(String)})/*end*/
        /*if purchases*/AND (empty({purchases:Array(String)}) OR purchase_type IN {purchases:Array(String)})/*end*/
        /*if categories*/AND (empty({categories:Array(String)}) OR charge_category IN {categories:Array(String)})/*end*/
        /*if clusters*/AND (empty({clusters:Array(String)}) OR cluster IN {clusters:Array(String)})/*end*/
        /*if namespaces*/AND (empty({namespaces:Array(String)}) OR namespace IN {namespaces:Array(String)})/*end*/
        /*if uids*/AND (empty({uids:Array(String)}) OR resource_uid IN {uids:Array(String)})/*end*/
    /*if no billed_only*/UNION ALL
    SELECT cloud_account_id, resource_uid
    FROM present_resources(
        org = {org:String}, from = {from:Date32}, to = {to:Date32},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    WHERE {billed_only:UInt8} = 0/*end*/
)
