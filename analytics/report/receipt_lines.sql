-- A page of the bill lines of a figure of a report, ordered by day, account and line: one row per line. `cost_usd` is the part of the line
-- in the figure; the parts add up to the figure exactly. `share` is that part as a fraction, empty unless a rule distributes the line to
-- teams; `line_cost_usd` is the whole line. Amounts are US dollars. The parameters are those of the view receipt_shared_lines, which
-- defines the lines of a figure, and {limit} and {offset}. Read by GET /reports/receipt and the export of bill lines.
-- Marks: shared, team.
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
    /*if team and shared*/cut_usd + if(taken > 0 AND row_number() OVER (of_sum ORDER BY line_id) = 1
        AND abs(toFloat64(figure - sum(cut_usd) OVER of_sum)) <= 1e-14 * (1000 + count() OVER of_sum),
        figure - sum(cut_usd) OVER of_sum, toDecimal128(0, 14))/*else own end*/ AS cost_usd,
    /*if team and shared*/if(taken = 0, '', toString(divideDecimal(toDecimal256(taken, 0), toDecimal256(whole, 0), 14)))/*else '' end*/ AS share,
    own AS line_cost_usd,
    own_tags,
    billing_account AS billing_account_id,
    sub_account_id,
    sub_account_name,
    billing_currency,
    usd_rate,
    usd_rate_source,
    other_columns
FROM receipt_shared_lines(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
    dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},
    services = {services:Array(String)}, subs = {subs:Array(String)}, billers = {billers:Array(String)},
    purchases = {purchases:Array(String)}, categories = {categories:Array(String)},
    uids = {uids:Array(String)}, untagged = {untagged:UInt8}, group = {group:String},
    cost = {cost:String}, invoice_ids = {invoice_ids:Array(String)}) AS line
/*if team and shared*/WINDOW of_sum AS (PARTITION BY line.day, cloud_account_id, provider, region, service_name, resource_type,
    purchase_type, charge_category, billing_account, sub_account, taken > 0)/*end*/
ORDER BY line.day, cloud_account_id, line_id
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
