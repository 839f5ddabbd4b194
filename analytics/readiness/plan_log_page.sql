-- A page of what happened to a readiness plan, the oldest first, and how much there is.
SELECT
    log_id, toString(kind) AS kind, from_status, to_status, message, actor, policy_id, toUnixTimestamp64Milli(at) AS at_ms,
    count() OVER () AS total
FROM plan_log FINAL
WHERE org_id = {org:String} AND plan_id = {plan:String}
ORDER BY n
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
