-- Teams of resources that were assigned by hand: one row per resource that has one. Deleted teams do not count. Parameter: {org}.
CREATE OR REPLACE VIEW team_assignments AS
SELECT resource_uid, team_id, assigned_at
FROM team_assignment FINAL
WHERE org_id = {org:String} AND team_id != ''
    AND team_id IN (SELECT team_id FROM team_state FINAL WHERE org_id = {org:String} AND deleted = 0)
