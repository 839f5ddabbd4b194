-- Cost by up to five dimensions, and within each combination by resource: the {top} dearest, and the rest as `(other)`.
-- A dimension that is not needed is `nothing`; {d6} is resource_uid or `nothing`.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost. An empty list means all.
WITH leaf AS
(
    SELECT
        {d1:Identifier} AS d1, {d2:Identifier} AS d2, {d3:Identifier} AS d3, {d4:Identifier} AS d4, {d5:Identifier} AS d5,
        {d6:Identifier} AS resource,
        sum(cost) AS cost
    FROM
    (
        SELECT provider, cloud_account_id, region, resource_type, service_name, purchase_type, resource_uid,
            'unassigned' AS team_id, '' AS nothing, {cost:Identifier} AS cost
        FROM cost_daily_slot
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
            AND (empty({uids:Array(String)}) OR resource_uid IN {uids:Array(String)})
    )
    GROUP BY d1, d2, d3, d4, d5, resource
),
ranked AS
(
    SELECT *, row_number() OVER (PARTITION BY d1, d2, d3, d4, d5 ORDER BY cost DESC, resource) AS place
    FROM leaf
),
named AS
(
    SELECT resource_uid, name
    FROM resource_state FINAL
    WHERE org_id = {org:String} AND {d6:String} = 'resource_uid'
)
SELECT
    d1, d2, d3, d4, d5,
    if(place <= {top:UInt32}, resource, '(other)') AS d6,
    any(named.name) AS name,
    sum(cost) AS cost_usd
FROM ranked
LEFT ANY JOIN named ON named.resource_uid = ranked.resource
GROUP BY d1, d2, d3, d4, d5, d6
