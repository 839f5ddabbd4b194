-- The current team of each resource UID, in any account: by hand, otherwise by rule. One row per UID that has one. Parameter: {org}.
CREATE OR REPLACE VIEW resource_teams AS
SELECT resource_uid, argMin(team, by_rule) AS team_id, argMin(at, by_rule) AS assigned_at
FROM
(
    SELECT resource_uid, team_id AS team, assigned_at AS at, 0 AS by_rule FROM team_assignments(org = {org:String})
    UNION ALL
    SELECT resource_uid, team_id AS team, since AS at, 1 AS by_rule FROM allocations(org = {org:String})
)
GROUP BY resource_uid
