-- Stores the team of each resource for reports of the month {period} (202601 for January 2026), unless it is already closed. Rows of an
-- earlier attempt that no longer apply become empty. Run by the snapshot job.
INSERT INTO closed_assignment (org_id, period, resource_uid, team_id)
SELECT {org:String}, {period:UInt32}, resource_uid, team_id
FROM
(
    SELECT resource_uid, team_id
    FROM team_assignments(org = {org:String})
    UNION ALL
    SELECT resource_uid, ''
    FROM closed_assignment FINAL
    WHERE org_id = {org:String} AND period = {period:UInt32} AND team_id != ''
        AND resource_uid NOT IN (SELECT resource_uid FROM team_assignments(org = {org:String}))
)
WHERE {period:UInt32} NOT IN (SELECT period FROM snapshot_state WHERE org_id = {org:String})
