-- Rows of cost_slice_tagged that have bill lines, filtered by what is charged: the same rows and columns, in US dollars. {services},
-- {subs}, {billers}, {purchases}, {categories}, {clusters}, {namespaces} and {uids}: an empty list means all. {untagged} 1 keeps only
-- costs without any tag, {group} only current members of a resource group ('' means all). The other parameters are those of
-- cost_slice_tagged. Read by the queries of receipts.
-- Marks: billers, categories, clusters, group, namespaces, purchases, services, subs, uids, untagged.
CREATE OR REPLACE VIEW charge_slice AS
SELECT *
FROM cost_slice_tagged(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
    dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},
    service_names = [], service_titles = [])
WHERE lines > 0
    /*if services*/AND (empty({services:Array(String)}) OR service_name IN {services:Array(String)})/*end*/
    /*if subs*/AND (empty({subs:Array(String)}) OR sub_account IN {subs:Array(String)})/*end*/
    /*if billers*/AND (empty({billers:Array(String)}) OR billing_account IN {billers:Array(String)})/*end*/
    /*if purchases*/AND (empty({purchases:Array(String)}) OR purchase_type IN {purchases:Array(String)})/*end*/
    /*if categories*/AND (empty({categories:Array(String)}) OR charge_category IN {categories:Array(String)})/*end*/
    /*if clusters*/AND (empty({clusters:Array(String)}) OR cluster IN {clusters:Array(String)})/*end*/
    /*if namespaces*/AND (empty({namespaces:Array(String)}) OR namespace IN {namespaces:Array(String)})/*end*/
    /*if uids*/AND (empty({uids:Array(String)}) OR resource_uid IN {uids:Array(String)})/*end*/
    /*if untagged*/AND ({untagged:UInt8} = 0 OR is_untagged)/*end*/
    /*if group*/AND ({group:String} = '' OR resource_uid IN
        (SELECT resource_uid FROM resource_group_member FINAL
         WHERE org_id = {org:String} AND group_id = {group:String} AND removed = 0))/*end*/
