-- The names of an organization's teams, deleted ones included.
SELECT team_id, name, deleted
FROM team_state FINAL
WHERE org_id = {org:String}
ORDER BY name, team_id
