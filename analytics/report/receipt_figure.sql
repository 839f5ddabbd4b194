-- The figure of a report as its daily sums have it: one row with its exact cost in US dollars and the number of bill lines in it. For an
-- earlier time ({as_of}), some of these lines may no longer be stored. A line that a rule distributes to several teams counts once. The
-- parameters are those of the view charge_slice without clusters and namespaces, and {cost}: billed_cost, effective_cost, contracted_cost
-- or list_cost. Read by GET /reports/receipt.
-- Marks: shared, team.
SELECT sum(lines_once) AS all_lines, sum(cost) AS cost_usd
FROM
(
    SELECT
        /*if team and shared*/if(place > 1 AND place != min(place) OVER (PARTITION BY day, cloud_account_id, provider, region, service_name,
            resource_type, purchase_type, charge_category, resource_uid, place > 0), 0, lines)/*else lines end*/ AS lines_once,
        multiIf(
        {cost:String} = 'billed_cost', billed_cost,
        {cost:String} = 'effective_cost', effective_cost,
        {cost:String} = 'contracted_cost', contracted_cost,
        list_cost) AS cost
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
