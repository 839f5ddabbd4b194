-- receipt_lines if cluster costs are divided among workloads with teams and tags of their own: one row per bill line, in the same columns
-- and order. `share` is the fraction of the line in the figure, empty if that is all of it. Amounts are US dollars. The parameters are
-- those of the view receipt_divided_lines, and {limit} and {offset}. Read by GET /reports/receipt.
SELECT
    line_id,
    toString(line.day) AS day,
    cloud_account_id,
    provider,
    service_name,
    region,
    resource_uid,
    resource_type,
    purchase_type,
    charge_category,
    description,
    quantity,
    unit,
    invoice_id,
    source,
    exported_at,
    export_id,
    cost_usd,
    if(figure = whole OR whole = 0, '', toString(divideDecimal(toDecimal256(figure, 14), toDecimal256(whole, 14), 14))) AS share,
    own AS line_cost_usd,
    own_tags,
    billing_account AS billing_account_id,
    sub_account_id,
    sub_account_name,
    billing_currency,
    usd_rate,
    usd_rate_source,
    other_columns
FROM receipt_divided_lines(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
    dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},
    services = {services:Array(String)}, subs = {subs:Array(String)}, billers = {billers:Array(String)},
    purchases = {purchases:Array(String)}, categories = {categories:Array(String)}, clusters = {clusters:Array(String)}, namespaces = {namespaces:Array(String)},
    uids = {uids:Array(String)}, untagged = {untagged:UInt8}, group = {group:String},
    cost = {cost:String}, invoice_ids = {invoice_ids:Array(String)}) AS line
ORDER BY line.day, cloud_account_id, line_id
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
