-- Rules for shared costs that count from {from} to {to}, oldest first: one row. `rules` have period 0 for open months and the month, as
-- 202601, for closed ones (`closed`); `kept` are the shares of teams in closed months; `teams` are the current teams. Sent with queries by
-- analytics/attribution/sharing.ts.
SELECT closed, live.teams AS teams, rules, kept
FROM
(
    SELECT arraySort(groupArray(toUInt32(period))) AS closed
    FROM snapshot_state FINAL
    WHERE org_id = {org:String} AND period BETWEEN toYYYYMM({from:Date32}) AND toYYYYMM({to:Date32})
) AS month
CROSS JOIN (SELECT arraySort(groupArray(team_id)) AS teams FROM team_state FINAL WHERE org_id = {org:String} AND deleted = 0) AS live
CROSS JOIN
(
    SELECT arrayMap(r -> r.3, arraySort(r -> (r.1, r.2), groupArray((created_at, policy_id, rule)))) AS rules
    FROM
    (
        SELECT created_at, policy_id, CAST((period, policy_id, facts, tag_keys, operators, values, '', '', [], [], []),
            'Tuple(period UInt32, policy_id String, facts Array(String), tag_keys Array(String), operators Array(String),
                values Array(Array(String)), method String, basis String, among Array(String), teams Array(String),
                weights Array(UInt32))') AS rule
        FROM closed_shared_rule FINAL
        WHERE org_id = {org:String} AND enabled = 1 AND period BETWEEN toYYYYMM({from:Date32}) AND toYYYYMM({to:Date32})
            AND period IN (SELECT period FROM snapshot_state FINAL WHERE org_id = {org:String})
        UNION ALL
        SELECT created_at, policy_id, CAST((0, policy_id, facts, tag_keys, operators, values, method, basis, among, teams, weights),
            'Tuple(period UInt32, policy_id String, facts Array(String), tag_keys Array(String), operators Array(String),
                values Array(Array(String)), method String, basis String, among Array(String), teams Array(String),
                weights Array(UInt32))') AS rule
        FROM shared_cost_rule FINAL
        WHERE org_id = {org:String} AND enabled = 1
    )
) AS rule
CROSS JOIN
(
    SELECT groupArray(CAST((period, policy_id, team_id, toString(weight)),
        'Tuple(period UInt32, policy_id String, team_id String, weight String)')) AS kept
    FROM closed_share FINAL
    WHERE org_id = {org:String} AND weight > 0 AND period BETWEEN toYYYYMM({from:Date32}) AND toYYYYMM({to:Date32})
        AND period IN (SELECT period FROM snapshot_state FINAL WHERE org_id = {org:String})
) AS share
