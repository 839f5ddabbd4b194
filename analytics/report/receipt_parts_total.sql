-- The number of bill lines of a figure of a report and the exact sum of their parts in it, in US dollars: one row for all lines of
-- receipt_parts, with its parameters except the page. Read by GET /reports/receipt.
SELECT count() AS all_lines, sum(cost_usd) AS cost_usd
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
    cost = {cost:String}, invoice_ids = {invoice_ids:Array(String)})
