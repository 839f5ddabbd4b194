-- Stores the shares of teams in shared costs for reports of the month {period} (202601 for January 2026), unless it is already closed.
-- Rows of an earlier attempt that no longer apply become 0. Run by the snapshot job.
INSERT INTO closed_share (org_id, period, policy_id, team_id, weight)
SELECT {org:String}, {period:UInt32}, policy_id, team_id, weight
FROM
(
    SELECT policy_id, taken.1 AS team_id, taken.2 AS weight
    FROM cost_shares(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = '')
    ARRAY JOIN arrayZip(teams, weights) AS taken
    UNION ALL
    SELECT policy_id, team_id, toInt256(0) AS weight
    FROM closed_share FINAL
    WHERE org_id = {org:String} AND period = {period:UInt32} AND weight > 0 AND (policy_id, team_id) NOT IN
    (
        SELECT policy_id, arrayJoin(teams)
        FROM cost_shares(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = '')
    )
)
WHERE {period:UInt32} NOT IN (SELECT period FROM snapshot_state WHERE org_id = {org:String})
