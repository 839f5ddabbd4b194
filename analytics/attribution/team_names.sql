-- Names of an organization's teams, deleted ones included: one row per team. Read by GET /reports/teams and the tagging actor.
SELECT team_id, name, deleted
FROM team_state FINAL
WHERE org_id = {org:String}
ORDER BY name, team_id
