-- A page of notifications, sent or still to send, newest first, and their total number: one row per event and channel. Empty lists, {id}
-- and {anomaly} mean all; {anomaly} is the ID of an anomaly that the notification is about, alone or among others. {from_ms} and {to_ms}
-- are milliseconds since 1970, the latter excluded. {admin} 0 leaves out built-in emails of anyone but {own}. {scoped} 1 keeps, of budgets
-- and anomalies, only those of the accounts {scope_accounts} and the teams {scope_teams}; notifications about several, and shared
-- recommendations, are then left out. Read by GET /notifications/deliveries.
SELECT
    id, channel_id, kind, event_id, event_type, category, severity, title, scope_type, scope_id, status, hold, tries,
    response_status, message,
    toUnixTimestamp64Milli(created_at) AS created_at_ms,
    ifNull(toUnixTimestamp64Milli(next_try_at), 0) AS next_try_at_ms,
    ifNull(toUnixTimestamp64Milli(ended_at), 0) AS ended_at_ms,
    folded_into, if({whole:UInt8} = 1, event, '') AS whole_event, count() OVER () AS total
FROM notification_delivery FINAL
WHERE org_id = {org:String}
    AND created_at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC') AND created_at < fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')
    AND ({id:String} = '' OR id = {id:String})
    AND ({anomaly:String} = '' OR position(event, concat('"anomalyID":"', {anomaly:String}, '"')) > 0)
    AND (empty({channels:Array(String)}) OR channel_id IN {channels:Array(String)})
    AND (empty({event_types:Array(String)}) OR event_type IN {event_types:Array(String)})
    AND (empty({statuses:Array(String)}) OR status IN {statuses:Array(String)})
    AND ({admin:UInt8} = 1 OR NOT startsWith(channel_id, 'mail:') OR channel_id = {own:String})
    AND ({scoped:UInt8} = 0
        OR kind <> 'digest' AND position(event, '"folded":[') = 0 AND (
            category = 'resource' AND kind <> 'share'
            OR scope_type = 'cloud_account' AND scope_id IN {scope_accounts:Array(String)}
            OR scope_type = 'team' AND scope_id IN {scope_teams:Array(String)}))
ORDER BY created_at DESC, id
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
