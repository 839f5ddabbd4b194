-- What a guard was asked from {since} to {to}, both included, and what it goes by, oldest first; `ms` is milliseconds since 1970. An answer
-- is one of guard_yes, guard_later and guard_no; of jobs with an answer from {from} on, approvals and calls that went well are in it
-- however old they are. A waiting job that was answered the same again has one line.
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
