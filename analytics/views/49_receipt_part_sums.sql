-- Costs of a figure by what bill lines have in common: one row per day, account, provider, region, service, type, purchase type, charge
-- category, resource, own tags, billing account and sub-account, with `figure`, the cost by {cost} (billed_cost, effective_cost,
-- contracted_cost or list_cost) in US dollars. The other parameters are those of charge_slice. Read by receipt_parts and
-- receipt_parts_total.
CREATE OR REPLACE VIEW receipt_part_sums AS
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
