-- Stores the rules for shared costs for reports of the month {period} (202601 for January 2026), unless it is already closed. Rules of an
-- earlier attempt that no longer count become disabled. Run by the snapshot job.
INSERT INTO closed_shared_rule (org_id, period, policy_id, enabled, created_at, facts, tag_keys, operators, values)
SELECT {org:String}, {period:UInt32}, policy_id, enabled, created_at, facts, tag_keys, operators, values
FROM shared_cost_rule FINAL
WHERE org_id = {org:String} AND {period:UInt32} NOT IN (SELECT period FROM snapshot_state WHERE org_id = {org:String})
