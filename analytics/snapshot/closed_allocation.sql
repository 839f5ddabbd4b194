-- Stores the team of each resource by rule for reports of the month {period} (202601 for January 2026), unless it is already closed. Rows
-- of an earlier attempt that no longer apply become empty. Run by the snapshot job.
INSERT INTO closed_allocation (org_id, period, cloud_account_id, resource_uid, team_id)
SELECT {org:String}, {period:UInt32}, cloud_account_id, resource_uid, team_id
FROM
(
    SELECT cloud_account_id, resource_uid, team_id
    FROM allocations(org = {org:String})
    UNION ALL
    SELECT cloud_account_id, resource_uid, ''
    FROM closed_allocation FINAL
    WHERE org_id = {org:String} AND period = {period:UInt32} AND team_id != ''
        AND (cloud_account_id, resource_uid) NOT IN (SELECT cloud_account_id, resource_uid FROM allocations(org = {org:String}))
)
WHERE {period:UInt32} NOT IN (SELECT period FROM snapshot_state WHERE org_id = {org:String})
