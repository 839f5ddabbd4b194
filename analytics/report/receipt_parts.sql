-- receipt_lines if cluster costs are divided among workloads with teams and tags of their own: one row per bill line, in the same columns
-- and order. `cost_usd` is the part of the line in the figure, rounded down at 14 decimals: the figure's cost of all lines like it
-- (receipt_part_sums) by their entire cost (receipt_whole_sums). The first of these lines also gets the rounding remainder, unless
-- {invoice_ids} filters them. `share` is that fraction, empty if it is all. Amounts are US dollars. The parameters are those of the views
-- receipt_part_sums and receipt_rows, and {limit} and {offset}. Read by GET /reports/receipt.
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
    (if(figure = whole, own, reinterpret(toInt128(intDivOrZero(
        toInt256(reinterpret(own, 'Int128')) * toInt256(reinterpret(figure, 'Int128')),
        toInt256(reinterpret(whole, 'Int128')))), 'Decimal(38, 14)')) AS cut_usd)
        + if(empty({invoice_ids:Array(String)}) AND row_number() OVER (of_sum ORDER BY line_id) = 1,
            figure - sum(cut_usd) OVER of_sum, toDecimal128(0, 14)) AS cost_usd,
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
FROM receipt_rows(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    cost = {cost:String}, invoice_ids = {invoice_ids:Array(String)}) AS line
INNER JOIN receipt_part_sums(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
    dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},
    services = {services:Array(String)}, subs = {subs:Array(String)}, billers = {billers:Array(String)},
    purchases = {purchases:Array(String)}, categories = {categories:Array(String)}, clusters = {clusters:Array(String)}, namespaces = {namespaces:Array(String)},
    uids = {uids:Array(String)}, untagged = {untagged:UInt8}, group = {group:String}, cost = {cost:String}) AS part
    USING (day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category,
        resource_uid, own_tags, billing_account, sub_account)
INNER JOIN receipt_whole_sums(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String}, cost = {cost:String}) AS spent
    USING (day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category,
        resource_uid, own_tags, billing_account, sub_account)
WINDOW of_sum AS (PARTITION BY line.day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category,
    resource_uid, own_tags, billing_account, sub_account)
ORDER BY line.day, cloud_account_id, line_id
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
