-- The number of bill lines of a figure of a report and the exact sum of their parts in it, in US dollars: one row for all lines of
-- receipt_lines, with its parameters except the page. Read by GET /reports/receipt.
-- Marks: shared, team.
SELECT sum(n) AS all_lines,
    sum(/*if team and shared*/if(taken > 0 AND abs(toFloat64(figure - spent)) <= 1e-14 * (1000 + n), figure, spent)/*else spent end*/) AS cost_usd
FROM
(
    SELECT
        count() AS n,
        /*if team and shared*/any(line.taken) AS taken, any(line.figure) AS figure,/*end*/
        sum(cut_usd) AS spent
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
    /*if team and shared*/GROUP BY cloud_account_id, day, provider, region, service_name, resource_type, purchase_type, charge_category, billing_account, sub_account, line.taken > 0/*end*/
)
