-- Costs and savings by up to twelve dimensions: one row per combination of their values, in US dollars. A dimension that is not used is
-- `nothing`. With {invoices} it reads cost_slice_invoiced. {cost} is billed_cost, effective_cost, contracted_cost or list_cost; the other
-- parameters are those of the view cost_slice_tagged. Read by cost exports.
-- Marks: invoice.
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
)
GROUP BY d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12
ORDER BY d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12
