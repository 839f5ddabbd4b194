-- Bill lines of a figure and the part of each in it, if cluster costs are divided among workloads with teams and tags of their own: one
-- row per line, in US dollars. `figure` is the cost in the figure of all lines with the same day, account, provider, region, service,
-- type, purchase type, charge category, resource, own tags, billing account and sub-account, `whole` their entire cost. `cost_usd` is the
-- part of the line, rounded down at 14 decimals; the first of these lines also gets the rounding remainder, unless {invoice_ids} filters
-- them. The parameters are those of charge_slice, {cost} and {invoice_ids}. Read by receipt_parts and receipt_parts_total.
CREATE OR REPLACE VIEW receipt_divided_lines AS
WITH part AS
(
    SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid, own_tags, billing_account, sub_account,
        sum(multiIf(
            {cost:String} = 'billed_cost', billed_cost,
            {cost:String} = 'effective_cost', effective_cost,
            {cost:String} = 'contracted_cost', contracted_cost,
            list_cost)) AS figure
    FROM charge_slice(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
        dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},
        services = {services:Array(String)}, subs = {subs:Array(String)}, billers = {billers:Array(String)},
        purchases = {purchases:Array(String)}, categories = {categories:Array(String)}, clusters = {clusters:Array(String)}, namespaces = {namespaces:Array(String)},
        uids = {uids:Array(String)}, untagged = {untagged:UInt8}, group = {group:String})
    GROUP BY ALL
),
spent AS
(
    SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid, own_tags, billing_account, sub_account,
        sum(multiIf(
            {cost:String} = 'billed_cost', billed_cost,
            {cost:String} = 'effective_cost', effective_cost,
            {cost:String} = 'contracted_cost', contracted_cost,
            list_cost)) AS whole
    FROM cost_at(/*without divided*/org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String})
    WHERE lines > 0
    GROUP BY ALL
)
SELECT *,
    (if(figure = whole, own, reinterpret(toInt128(intDivOrZero(
        toInt256(reinterpret(own, 'Int128')) * toInt256(reinterpret(figure, 'Int128')),
        toInt256(reinterpret(whole, 'Int128')))), 'Decimal(38, 14)')) AS cut_usd)
        + if(empty({invoice_ids:Array(String)}) AND row_number() OVER (of_sum ORDER BY line_id) = 1,
            figure - sum(cut_usd) OVER of_sum, toDecimal128(0, 14)) AS cost_usd
FROM receipt_rows(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    cost = {cost:String}, invoice_ids = {invoice_ids:Array(String)}) AS line
INNER JOIN part USING (day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category,
    resource_uid, own_tags, billing_account, sub_account)
INNER JOIN spent USING (day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category,
    resource_uid, own_tags, billing_account, sub_account)
WINDOW of_sum AS (PARTITION BY day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category,
    resource_uid, own_tags, billing_account, sub_account)
