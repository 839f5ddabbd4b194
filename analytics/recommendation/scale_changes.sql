-- Changes that autoscaler policies made to their targets from {from_ms} until before {to_ms} (milliseconds since 1970): one row per
-- change, oldest first for each policy, with bounds and number of units before and after, null if unknown. Recommendations and failures
-- are not changes. Read by the sweep of recommendations.
SELECT policy_id, toUnixTimestamp64Milli(at) AS at_ms, from_min, from_max, from_desired, to_min, to_max, to_desired
FROM policy_event FINAL
WHERE org_id = {org:String} AND policy_id IN {policies:Array(String)}
    AND kind IN ('write', 'apply', 'schedule', 'event_hold')
    AND at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC') AND at < fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')
ORDER BY policy_id, n
