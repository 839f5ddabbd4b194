-- A figure of a report as its sums have it: its exact cost, and of how many lines it was made. What it is of an earlier time may be made
-- of lines that are not kept any more. Of lines that a rule hands out to several teams each counts once. The parameters are those of
-- receipt_lines.
SELECT sum(lines_once) AS all_lines, sum(cost) AS cost_usd
FROM
(
    SELECT
        /*if team and shared*/if(place > 1 AND place != min(place) OVER (PARTITION BY day, cloud_account_id, provider, region, service_name,
            resource_type, purchase_type, charge_category, resource_uid, place > 0), 0, lines)/*else lines end*/ AS lines_once,
        multiIf(
        {cost:String} = 'billed_cost', billed_cost,
        {cost:String} = 'effective_cost', effective_cost,
        {cost:String} = 'contracted_cost', contracted_cost,
        list_cost) AS cost
    FROM cost_slice_tagged(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
        dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))})
    WHERE lines > 0
        /*if services*/AND (empty({services:Array(String)}) OR service_name IN {services:Array(String)})/*end*/
        /*if subs*/AND (empty({subs:Array(String)}) OR sub_account IN {subs:Array(String)})/*end*/
        /*if billers*/AND (empty({billers:Array(String)}) OR billing_account IN {billers:Array(String)})/*end*/
        /*if purchases*/AND (empty({purchases:Array(String)}) OR purchase_type IN {purchases:Array(String)})/*end*/
        /*if categories*/AND (empty({categories:Array(String)}) OR charge_category IN {categories:Array(String)})/*end*/
        /*if uids*/AND (empty({uids:Array(String)}) OR resource_uid IN {uids:Array(String)})/*end*/
        /*if untagged*/AND ({untagged:UInt8} = 0 OR is_untagged)/*end*/
        /*if group*/AND ({group:String} = '' OR resource_uid IN
            (SELECT resource_uid FROM resource_group_member FINAL
             WHERE org_id = {org:String} AND group_id = {group:String} AND removed = 0))/*end*/
)
