-- The number of bill lines of a figure of a report and the exact sum of their parts in it, in US dollars: one row for all lines of
-- receipt_parts, with its parameters except the page. Read by GET /reports/receipt.
SELECT count() AS all_lines, sum(cost_usd) AS cost_usd
FROM
(
    SELECT (if(figure = whole, own, reinterpret(toInt128(intDivOrZero(
        toInt256(reinterpret(own, 'Int128')) * toInt256(reinterpret(figure, 'Int128')),
        toInt256(reinterpret(whole, 'Int128')))), 'Decimal(38, 14)')) AS cut_usd)
        + if(empty({invoice_ids:Array(String)}) AND row_number() OVER (of_sum ORDER BY line_id) = 1,
            figure - sum(cut_usd) OVER of_sum, toDecimal128(0, 14)) AS cost_usd
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
)
