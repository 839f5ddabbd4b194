-- How rules distribute shared costs: one row per month and rule, with the teams, their weights, the sum of the weights, and the position
-- of the largest, which gets the rounding remainder. A rule without any team has no row. Closed months keep their shares. Parameters:
-- {org}, {from}, {to}, {as_of}. Read by cost_slice.
CREATE OR REPLACE VIEW cost_shares AS
SELECT period, policy_id, groupArray(team_id) AS teams, groupArray(parts_of) AS weights, arraySum(weights) AS total,
    toUInt32(indexOf(weights, arrayMax(weights))) AS largest
FROM
(
    SELECT period, policy_id, team_id, sum(weight) AS parts_of
    FROM
    (
        SELECT period, policy_id, team_id, weight
        FROM closed_share FINAL
        WHERE org_id = {org:String} AND period BETWEEN toYYYYMM({from:Date32}) AND toYYYYMM({to:Date32})
            AND period IN (SELECT period FROM snapshot_state FINAL WHERE org_id = {org:String})
        UNION ALL
        SELECT open.period AS period, policy_id, part.1 AS team_id, part.2 AS weight
        FROM shared_rules(org = {org:String}, from = {from:Date32}, to = {to:Date32}) AS open
        INNER JOIN
        (
            SELECT policy_id, method,
                (SELECT groupArray(team_id) FROM team_state FINAL WHERE org_id = {org:String} AND deleted = 0) AS live,
                if(method = 'even',
                    arrayMap(t -> (t, toInt256(1)), arrayFilter(t -> empty(among) OR has(among, t), live)),
                    arrayMap((t, w) -> (if(has(live, t), t, 'unassigned'), toInt256(w)), teams, weights)) AS parts
            FROM shared_cost_rule FINAL
            WHERE org_id = {org:String} AND enabled = 1 AND method != 'proportional'
        ) AS rule ON rule.policy_id = open.policy_id
        ARRAY JOIN rule.parts AS part
        WHERE open.period NOT IN (SELECT period FROM snapshot_state FINAL WHERE org_id = {org:String})
        UNION ALL
        SELECT direct.period AS period, policy_id, team_id, toInt256(multiIf(
            basis = 'effective_cost', effective, basis = 'contracted_cost', contracted, basis = 'list_cost', list, billed)) AS weight
        FROM
        (
            SELECT toYYYYMM(day) AS period, team_id,
                reinterpret(sum(billed_cost), 'Int128') AS billed, reinterpret(sum(effective_cost), 'Int128') AS effective,
                reinterpret(sum(contracted_cost), 'Int128') AS contracted, reinterpret(sum(list_cost), 'Int128') AS list
            FROM cost_attributed(
                org = {org:String}, from = toStartOfMonth({from:Date32}), to = toLastDayOfMonth({to:Date32}), as_of = {as_of:String})
            WHERE policy_id = '' AND team_id != 'unassigned' AND lines > 0
                AND (SELECT count() FROM shared_cost_rule FINAL
                     WHERE org_id = {org:String} AND enabled = 1 AND method = 'proportional') > 0
                AND period NOT IN (SELECT period FROM snapshot_state FINAL WHERE org_id = {org:String})
            GROUP BY period, team_id
        ) AS direct
        CROSS JOIN
        (
            SELECT policy_id, basis, among
            FROM shared_cost_rule FINAL
            WHERE org_id = {org:String} AND enabled = 1 AND method = 'proportional'
        ) AS rule
        WHERE empty(among) OR has(among, team_id)
    )
    WHERE weight > 0
    GROUP BY period, policy_id, team_id
    ORDER BY period, policy_id, team_id
)
GROUP BY period, policy_id
