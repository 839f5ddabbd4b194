-- Changes of the resources {uids} of an account from {from_ms} (milliseconds since 1970), oldest first: one row per change. `kind` is
-- change (the status `was` became `became`, '' means absent), start (an action of ours, by a person or a schedule, started it),
-- stop_ordered or start_ordered (by a schedule). Read by the sweep of recommendations.
SELECT resource_uid, kind, at_ms, was, became
FROM
(
    SELECT resource_uid, 'change' AS kind, toUnixTimestamp64Milli(at) AS at_ms, JSONExtractString(details, 'from') AS was,
        JSONExtractString(details, 'to') AS became
    FROM resource_change FINAL
    WHERE org_id = {org:String} AND cloud_account_id = {account:String} AND resource_uid IN {uids:Array(String)}
        AND resource_change.kind = 'state_transition' AND at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')
    UNION ALL
    SELECT resource_uid, 'start' AS kind, toUnixTimestamp64Milli(changed_at) AS at_ms, '' AS was, '' AS became
    FROM state_history FINAL
    WHERE org_id = {org:String} AND cloud_account_id = {account:String} AND resource_uid IN {uids:Array(String)}
        AND state = 'running' AND changed_at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')
    UNION ALL
    SELECT resource_uid, concat(action, '_ordered') AS kind, toUnixTimestamp64Milli(triggered_at) AS at_ms, '' AS was, '' AS became
    FROM scheduler_event FINAL
    WHERE org_id = {org:String} AND resource_uid IN {uids:Array(String)} AND action IN ('start', 'stop') AND status != 'missed'
        AND triggered_at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')
)
ORDER BY resource_uid, at_ms, kind
