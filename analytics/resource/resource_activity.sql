-- A page of the activity of resources from {from_ms} until before {to_ms} (milliseconds since 1970), newest first, and its total number:
-- one row per activity, with its time, type, resource and details as JSON. Each source is a branch of the union. {uids}: an empty list
-- means all. {sliced} 1 keeps only resources that match the other parameters, which are those of the view resource_slice. Read by GET
-- /reports/resources/activity.
WITH allowed AS
(
    SELECT cloud_account_id, resource_uid
    FROM resource_slice(
        org = {org:String}, providers = {providers:Array(String)}, accounts = {accounts:Array(String)},
        regions = {regions:Array(String)}, types = {types:Array(String)}, teams = {teams:Array(String)},
        scoped = {scoped:UInt8}, scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)})
    WHERE {sliced:UInt8} = 1
)
SELECT id, toUnixTimestamp64Milli(happened_at) AS at_ms, kind, uid AS resource_uid, actor, details, count() OVER () AS total
FROM
(
    SELECT
        concat(event_id, '/', resource_uid) AS id,
        triggered_at AS happened_at,
        'scheduler_event' AS kind,
        resource_uid AS uid,
        'scheduler' AS actor,
        toJSONString(map('scheduleID', schedule_id, 'action', toString(action), 'status', toString(status))) AS details
    FROM scheduler_event FINAL
    WHERE org_id = {org:String} AND (empty({uids:Array(String)}) OR resource_uid IN {uids:Array(String)})
        AND triggered_at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')
        AND triggered_at < fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')
        AND status != ''
        AND ({sliced:UInt8} = 0 OR resource_uid IN (SELECT resource_uid FROM allowed))
    UNION ALL
    SELECT
        change_id AS id,
        at AS happened_at,
        toString(kind) AS kind,
        resource_uid AS uid,
        if(c.actor = 'user', concat('user:', JSONExtractString(c.details, 'userId')), toString(c.actor)) AS actor,
        details
    FROM resource_change AS c FINAL
    WHERE org_id = {org:String} AND (empty({uids:Array(String)}) OR resource_uid IN {uids:Array(String)})
        AND at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')
        AND at < fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')
        AND ({sliced:UInt8} = 0 OR (cloud_account_id, resource_uid) IN (SELECT cloud_account_id, resource_uid FROM allowed))
    UNION ALL
    SELECT
        action_id AS id,
        at AS happened_at,
        'action_submission' AS kind,
        resource_uid AS uid,
        changed_by AS actor,
        toJSONString(mapFilter((name, value) -> value != '', map('actionID', action_id, 'action', toString(action), 'reason', reason)))
            AS details
    FROM action_submission FINAL
    WHERE org_id = {org:String} AND (empty({uids:Array(String)}) OR resource_uid IN {uids:Array(String)})
        AND at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')
        AND at < fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')
        AND ({sliced:UInt8} = 0 OR (cloud_account_id, resource_uid) IN (SELECT cloud_account_id, resource_uid FROM allowed))
)
ORDER BY happened_at DESC, id
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
