-- Cost by up to six dimensions: one row a combination of their values. A dimension that is not needed is `nothing`.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost. An empty list means all.
SELECT
    {d1:Identifier} AS d1, {d2:Identifier} AS d2, {d3:Identifier} AS d3, {d4:Identifier} AS d4, {d5:Identifier} AS d5,
    {d6:Identifier} AS d6,
    sum(cost) AS cost_usd
FROM
(
    SELECT provider, cloud_account_id, region, resource_type, service_name, purchase_type,
        'unassigned' AS team_id, '' AS nothing, {cost:Identifier} AS cost
    FROM cost_service_daily_slot
    WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        AND edition IN
        (
            SELECT edition FROM cost_day FINAL
            WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        )
        AND (empty({providers:Array(String)}) OR provider IN {providers:Array(String)})
        AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})
        AND (empty({regions:Array(String)}) OR region IN {regions:Array(String)})
        AND (empty({types:Array(String)}) OR resource_type IN {types:Array(String)})
        AND (empty({teams:Array(String)}) OR has({teams:Array(String)}, 'unassigned'))
        AND (empty({services:Array(String)}) OR service_name IN {services:Array(String)})
        AND (empty({purchases:Array(String)}) OR purchase_type IN {purchases:Array(String)})
)
GROUP BY d1, d2, d3, d4, d5, d6
