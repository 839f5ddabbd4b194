-- Costs, savings and number of resources by {column}: shown_provider, service_provider, purchase_type, resource_type or charge_category;
-- tag1, the tag of {dim_tags}; or invoice_id, which reads cost_slice_invoiced. One row per value, in US dollars. {cost} is billed_cost,
-- effective_cost, contracted_cost or list_cost; the other parameters are those of the view cost_slice_tagged. Read by the details of a
-- team and by cost reports.
-- Marks: invoice.
SELECT
    {column:Identifier} AS value,
    sum({cost:Identifier}) AS cost_usd,
    sum({saved:Identifier}) AS savings_usd,
    uniqExactIf(resource_uid, resource_uid != '') AS resources
FROM /*if no invoice*/cost_slice_tagged(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
    dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},
    service_names = {service_names:Array(String)}, service_titles = {service_titles:Array(String)})/*else cost_slice_invoiced() end*/
GROUP BY value
ORDER BY value
