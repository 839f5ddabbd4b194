-- A page of the events of an autoscaler policy, oldest first, and their total number: one row per event. Read by GET
-- /autoscaler-policies/:policyID/events.
SELECT
    event_id, toString(kind) AS kind, from_min, from_max, to_min, to_max, reason, applied_by,
    toUnixTimestamp64Milli(at) AS at_ms, count() OVER () AS total
FROM policy_event FINAL
WHERE org_id = {org:String} AND policy_id = {policy:String}
ORDER BY n
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
