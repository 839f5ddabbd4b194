-- Decisions of a guard from {since} to {to}, both included, and what they depend on, oldest first: one row per event; `ms` is milliseconds
-- since 1970. A decision is guard_yes, guard_later or guard_no. For jobs with a decision from {from} on, it includes approvals and
-- successful calls of any age. A job that waits and gets the same decision again has one row. Read by the replay of guardrails (POST
-- /what-if).
SELECT
    toUnixTimestamp64Milli(at) AS ms, job_id, n, event, actor, template, cloud_account_id, resource_uid, resource_type,
    current_cost_usd
FROM workflow_events
WHERE org_id = {org:String} AND toDate32(at) <= {to:Date32} AND
(
    event IN ('guard_yes', 'guard_later', 'guard_no', 'succeeded', 'failed', 'cancelled') AND toDate32(at) >= {since:Date32}
    OR event IN ('step_approved', 'call_succeeded') AND job_id IN
    (
        SELECT job_id
        FROM workflow_event
        WHERE org_id = {org:String} AND toDate32(at) BETWEEN {from:Date32} AND {to:Date32}
            AND event IN ('guard_yes', 'guard_later', 'guard_no')
    )
)
ORDER BY ms, job_id, n
