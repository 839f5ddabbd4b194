-- Costs and savings of each resource from {from} to {to}, both included, with its current team: one row per account and resource that was
-- charged, saved anything or was in the inventory at any time of the range. Amounts are US dollars. resource_uid is empty for costs
-- without a resource; these are separate for each set of own_tags if that is read. The filters are those of cost_slice.
-- It adds up before it looks up teams, which is faster. So it is only right without shared costs and divided clusters, for open months, as
-- of now, and without a filter by tags; in all other cases queries read cost_slice. Read by tag_costs and cost_by_team.
-- Marks: accounts, allocated, charges, line_tags, months, providers, regions, scope_teams, scoped, team, teams, types.
CREATE OR REPLACE VIEW resource_sums AS
SELECT s.cloud_account_id AS cloud_account_id, s.resource_uid AS resource_uid, /*if line_tags*/s.own_tags AS own_tags, s.own_provider AS own_provider,/*end*/
    /*if team*/multiIf(
        own.team_id != '', own.team_id,
        /*if allocated*/rule.team_id != '', rule.team_id,/*end*/
        'unassigned')/*else '' end*/ AS team_id,
    s.billed_cost AS billed_cost, s.effective_cost AS effective_cost, s.contracted_cost AS contracted_cost, s.list_cost AS list_cost,
    s.saved AS saved, s.estimated_saved AS estimated_saved, s.observed_saved AS observed_saved, s.verified_saved AS verified_saved,
    s.lines AS lines
FROM
(
    SELECT cloud_account_id, resource_uid, /*if line_tags*/own_tags, own_provider,/*end*/ sum(r.billed_cost) AS billed_cost, sum(r.effective_cost) AS effective_cost,
        sum(r.contracted_cost) AS contracted_cost, sum(r.list_cost) AS list_cost, sum(r.saved) AS saved,
        sum(r.estimated_saved) AS estimated_saved, sum(r.observed_saved) AS observed_saved, sum(r.verified_saved) AS verified_saved,
        sum(r.lines) AS lines
    FROM
    (
        SELECT cloud_account_id, resource_uid, /*if line_tags*/own_tags, if(own_tags = '', '', toString(provider)) AS own_provider,/*end*/ billed_cost, effective_cost, contracted_cost, list_cost, toDecimal128(0, 14) AS saved,
            toDecimal128(0, 14) AS estimated_saved, toDecimal128(0, 14) AS observed_saved, toDecimal128(0, 14) AS verified_saved, lines
        FROM cost_daily_slot
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
            /*if no months*/AND edition IN
            (
                SELECT edition FROM cost_day FINAL
                WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
            )/*else AND (day, edition) IN (SELECT day, edition FROM month_editions(org = {org:String}, from = {from:Date32}, to = {to:Date32})) end*/
            /*if providers*/AND (empty({providers:Array(String)}) OR provider IN {providers:Array(String)} OR has({providers:Array(String)}, '*') AND provider NOT IN ('', 'aws', 'gcp', 'azure'))/*end*/
            /*if accounts*/AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})/*end*/
            /*if regions*/AND (empty({regions:Array(String)}) OR region IN {regions:Array(String)})/*end*/
            /*if types*/AND (empty({types:Array(String)}) OR resource_type IN {types:Array(String)})/*end*/
        UNION ALL
        /*if no charges*/
        SELECT cloud_account_id, resource_uid, /*if line_tags*/toLowCardinality('') AS own_tags, '' AS own_provider,/*end*/ toDecimal128(0, 14) AS billed_cost, toDecimal128(0, 14) AS effective_cost,
            toDecimal128(0, 14) AS contracted_cost, toDecimal128(0, 14) AS list_cost, saved,
            ifNull(estimated, toDecimal128(0, 14)) AS estimated_saved, ifNull(observed, toDecimal128(0, 14)) AS observed_saved,
            ifNull(verified, toDecimal128(0, 14)) AS verified_saved, toUInt32(0) AS lines
        FROM saving_daily FINAL
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
            /*if providers*/AND (empty({providers:Array(String)}) OR provider IN {providers:Array(String)} OR has({providers:Array(String)}, '*') AND provider NOT IN ('', 'aws', 'gcp', 'azure'))/*end*/
            /*if accounts*/AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})/*end*/
            /*if regions*/AND (empty({regions:Array(String)}) OR region IN {regions:Array(String)})/*end*/
            /*if types*/AND (empty({types:Array(String)}) OR resource_type IN {types:Array(String)})/*end*/
        UNION ALL
        /*end*/
        SELECT cloud_account_id, resource_uid, /*if line_tags*/toLowCardinality('') AS own_tags, '' AS own_provider,/*end*/ toDecimal128(0, 14) AS billed_cost, toDecimal128(0, 14) AS effective_cost,
            toDecimal128(0, 14) AS contracted_cost, toDecimal128(0, 14) AS list_cost, toDecimal128(0, 14) AS saved,
            toDecimal128(0, 14) AS estimated_saved, toDecimal128(0, 14) AS observed_saved, toDecimal128(0, 14) AS verified_saved,
            toUInt32(0) AS lines
        FROM resource_state FINAL
        WHERE org_id = {org:String} AND toDate32(first_seen_at) <= {to:Date32}
            AND (deleted_at IS NULL OR toDate32(deleted_at) >= {from:Date32})
            /*if providers*/AND (empty({providers:Array(String)}) OR provider IN {providers:Array(String)} OR has({providers:Array(String)}, '*') AND provider NOT IN ('', 'aws', 'gcp', 'azure'))/*end*/
            /*if accounts*/AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})/*end*/
            /*if regions*/AND (empty({regions:Array(String)}) OR region IN {regions:Array(String)})/*end*/
            /*if types*/AND (empty({types:Array(String)}) OR type IN {types:Array(String)})/*end*/
    ) AS r
    GROUP BY cloud_account_id, resource_uid/*if line_tags*/, own_tags, own_provider/*end*/
) AS s
/*if team*/LEFT ANY JOIN team_assignments(org = {org:String}) AS own ON own.resource_uid = s.resource_uid
/*if allocated*/LEFT ANY JOIN allocations(org = {org:String}) AS rule
    ON rule.cloud_account_id = s.cloud_account_id AND rule.resource_uid = s.resource_uid/*end*//*end*/
WHERE true
    /*if teams*/AND (empty({teams:Array(String)}) OR team_id IN {teams:Array(String)})/*end*/
    /*if scoped*/AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)}
        /*if scope_teams*/OR team_id IN {scope_teams:Array(String)}/*end*/)/*end*/
