-- Direct costs of each team, without shared costs, in the whole months that {from} to {to} touch: one row per month and team, in US
-- dollars. `period` is 202601 for January 2026. Sent with queries as the basis of proportional rules (analytics/attribution/sharing.ts).
SELECT toUInt32(toYYYYMM(day)) AS period, team_id, sum(attributed.billed_cost) AS billed_cost, sum(attributed.effective_cost) AS effective_cost,
    sum(attributed.contracted_cost) AS contracted_cost, sum(attributed.list_cost) AS list_cost
FROM cost_attributed(
    org = {org:String}, from = toStartOfMonth({from:Date32}), to = toLastDayOfMonth({to:Date32}), as_of = {as_of:String}) AS attributed
WHERE policy_id = '' AND team_id != 'unassigned' AND lines > 0
GROUP BY period, team_id
ORDER BY period, team_id
