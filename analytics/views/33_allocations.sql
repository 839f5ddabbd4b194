-- Teams of resources by rule: one row per account and resource that has one. A team assigned by hand (team_assignments) takes precedence.
-- Deleted teams do not count. Parameter: {org}.
CREATE OR REPLACE VIEW allocations AS
SELECT cloud_account_id, resource_uid, team_id, policy_id, since
FROM allocated_resource FINAL
WHERE org_id = {org:String} AND team_id != ''
    AND team_id IN (SELECT team_id FROM team_state FINAL WHERE org_id = {org:String} AND deleted = 0)
