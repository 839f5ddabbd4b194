-- The team each resource belongs to, for the resources that have one: one row a resource. Teams that were deleted have none.
CREATE OR REPLACE VIEW team_assignments AS
SELECT resource_uid, team_id, assigned_at
FROM team_assignment FINAL
WHERE org_id = {org:String} AND team_id != ''
    AND team_id IN (SELECT team_id FROM team_state FINAL WHERE org_id = {org:String} AND deleted = 0)
