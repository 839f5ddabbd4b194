-- The team each resource has by rule, for the resources that have one: one row a (account, resource). A team given by hand, in
-- team_assignments, counts before. Teams that were deleted have none.
CREATE OR REPLACE VIEW allocations AS
SELECT cloud_account_id, resource_uid, team_id, policy_id, since
FROM allocated_resource FINAL
WHERE org_id = {org:String} AND team_id != ''
    AND team_id IN (SELECT team_id FROM team_state FINAL WHERE org_id = {org:String} AND deleted = 0)
