-- A page of the log of a readiness plan, oldest first, and the total number: one row per log entry. Read by the log of a plan (GET
-- /event-readiness/:eventID/logs).
SELECT
    log_id, toString(kind) AS kind, from_status, to_status, message, actor, policy_id, toUnixTimestamp64Milli(at) AS at_ms,
    count() OVER () AS total
FROM plan_log FINAL
WHERE org_id = {org:String} AND plan_id = {plan:String}
ORDER BY n
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
