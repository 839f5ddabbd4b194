-- A page of the actions that were carried out, newest first, and their total number: one row per action. Empty {uids} and {types} mean
-- all. Read by GET /state-history.
SELECT
    action_id, resource_uid, toString(state) AS state, toUnixTimestamp64Milli(changed_at) AS changed_at_ms, changed_by,
    schedule_id, toString(step) AS step, toString(status) AS status, error_message, count() OVER () AS total
FROM state_history FINAL
WHERE org_id = {org:String}
    AND (empty({uids:Array(String)}) OR resource_uid IN {uids:Array(String)})
    AND (empty({types:Array(String)}) OR changed_by_type IN {types:Array(String)})
ORDER BY changed_at DESC, action_id
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
