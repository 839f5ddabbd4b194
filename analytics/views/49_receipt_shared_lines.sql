-- Bill lines of a figure and the part of each in it: one row per line, in US dollars. A line belongs to a figure if charge_slice has its
-- day, account, provider, region, service, type, purchase type, charge category, resource, own tags, billing account and sub-account.
-- `cut_usd` is the part, rounded down at 14 decimals.
-- With the facts `team` and `shared`, lines that a rule distributes have `taken`, the sum of the figure's weights, `whole`, the sum of all
-- weights, and `figure`, the exact cost in the figure of all lines with the same values except resource and own tags: the sum of `cut_usd`
-- may differ from it by rounding. `taken` is 0 for all other lines.
-- The parameters are those of charge_slice without clusters and namespaces, {cost} and {invoice_ids}. Read by receipt_lines and
-- receipt_total.
-- Marks: shared, team.
CREATE OR REPLACE VIEW receipt_shared_lines AS
/*if team and shared*/
WITH split AS
(
    SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid, own_tags, billing_account, sub_account,
        sum(if(place = 0, toInt256(0), toInt256(weights[place]))) AS taken, any(toInt256(arraySum(weights))) AS whole
    FROM cost_slice_tagged(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
        dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},
        service_names = [], service_titles = [])
    WHERE lines > 0
    GROUP BY ALL
    HAVING taken > 0
),
handed AS
(
    SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category, billing_account,
        sub_account,
        sum(multiIf(
            {cost:String} = 'billed_cost', billed_cost,
            {cost:String} = 'effective_cost', effective_cost,
            {cost:String} = 'contracted_cost', contracted_cost,
            list_cost)) AS figure
    FROM cost_slice_tagged(/*without by_resource*/
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
        dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},
        service_names = [], service_titles = [])
    WHERE lines > 0 AND place > 0
    GROUP BY ALL
)
/*end*/
SELECT *,
    /*if team and shared*/if(taken = 0, own,
        reinterpret(toInt128(intDivOrZero(reinterpret(own, 'Int128') * taken, whole)), 'Decimal(38, 14)'))/*else own end*/ AS cut_usd
FROM receipt_rows(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    cost = {cost:String}, invoice_ids = {invoice_ids:Array(String)}) AS line
/*if team and shared*/
LEFT ANY JOIN split USING (day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category,
    billing_account, sub_account, resource_uid, own_tags)
LEFT ANY JOIN handed USING (day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category,
    billing_account, sub_account)
/*end*/
WHERE (cloud_account_id, day, provider, region, service_name, resource_type,
        purchase_type, charge_category, resource_uid, own_tags, billing_account, sub_account) IN
    (
        SELECT cloud_account_id, day, provider, region, service_name, resource_type,
            purchase_type, charge_category, resource_uid, own_tags, billing_account, sub_account
        FROM charge_slice(
            org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
            providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
            types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
            scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
            tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
            dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},
            services = {services:Array(String)}, subs = {subs:Array(String)}, billers = {billers:Array(String)},
            purchases = {purchases:Array(String)}, categories = {categories:Array(String)}, clusters = [], namespaces = [],
            uids = {uids:Array(String)}, untagged = {untagged:UInt8}, group = {group:String})
    )
