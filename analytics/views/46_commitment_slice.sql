-- Usage of commitments with the filters of cost_slice: one row per row of commitment_use that is used, unused or on demand, and per team
-- if its cost is shared; amounts (US dollars) and hours are then the team's part. `provider` is the provider of most lines of the account
-- in the range. Filters by tag, team, region and type match by day, account, resource, service, purchase type and charge category: a
-- charge without a resource counts if any of these charges matches.
-- Marks: accounts, placed, providers, scoped, shared, team.
CREATE OR REPLACE VIEW commitment_slice AS
WITH
/*if team and shared*/(cost, at, parts) -> if(at = 0, cost, reinterpret(toInt128(if(at = indexOf(parts, arrayMax(parts)),
    reinterpret(cost, 'Int128') - arraySum(
        (w, i) -> if(i = at, toInt256(0), intDivOrZero(reinterpret(cost, 'Int128') * w, arraySum(parts))), parts, arrayEnumerate(parts)),
    intDivOrZero(reinterpret(cost, 'Int128') * parts[at], arraySum(parts)))), 'Decimal(38, 14)')) AS taken,/*end*/
sold AS
(
    SELECT cloud_account_id, argMax(provider, (lines, provider)) AS provider
    FROM
    (
        SELECT cloud_account_id, provider, sum(lines) AS lines
        FROM cost_service_daily_slot
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
            AND edition IN
            (
                SELECT edition FROM cost_day FINAL
                WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
            )
        GROUP BY cloud_account_id, provider
    )
    GROUP BY cloud_account_id
)
SELECT u.day AS day, u.cloud_account_id AS cloud_account_id, sold.provider AS provider, u.service_name AS service_name,
    u.component AS component, u.commitment_id AS commitment_id, u.part AS part,
    /*if team and shared*/taken(toDecimal128(u.hours, 14), s.place, s.weights)/*else toDecimal128(u.hours, 14) end*/ AS hours,
    /*if team and shared*/taken(u.effective_cost, s.place, s.weights)/*else u.effective_cost end*/ AS effective_cost,
    /*if team and shared*/taken(u.on_demand_equivalent, s.place, s.weights)/*else u.on_demand_equivalent end*/ AS on_demand_equivalent
FROM commitment_use(org = {org:String}, from = {from:Date32}, to = {to:Date32}) AS u
INNER JOIN sold ON sold.cloud_account_id = u.cloud_account_id
/*if placed*/
INNER JOIN
(
    SELECT DISTINCT day, cloud_account_id, resource_uid, service_name, purchase_type, charge_category, place, weights
    FROM cost_slice(/*without divided*/
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    WHERE lines > 0
) AS s ON s.day = u.day AND s.cloud_account_id = u.cloud_account_id AND s.resource_uid = u.resource_uid
    AND s.service_name = u.service_name AND s.purchase_type = u.purchase_type AND s.charge_category = u.charge_category
/*end*/
WHERE u.part != ''
    /*if providers*/AND (empty({providers:Array(String)}) OR sold.provider IN {providers:Array(String)} OR has({providers:Array(String)}, '*') AND sold.provider NOT IN ('', 'aws', 'gcp', 'azure'))/*end*/
    /*if accounts*/AND (empty({accounts:Array(String)}) OR u.cloud_account_id IN {accounts:Array(String)})/*end*/
    /*if scoped*/AND ({scoped:UInt8} = 0 OR u.cloud_account_id IN {scope_accounts:Array(String)}
        OR notEmpty({scope_teams:Array(String)}))/*end*/
