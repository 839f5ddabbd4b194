-- Days of the 90 before {until} on which the resources {uids} of an account have samples: one row per resource and metric name. `days` are
-- numbers of days before {until}; 1 is the day before. `first_at` is the oldest sample in milliseconds since 1970. Read by the sweep of
-- recommendations.
SELECT
    resource_uid,
    metric,
    arraySort(groupUniqArray(toUInt16(dateDiff('day', toDate(ts), toDate({until:DateTime('UTC')}))))) AS days,
    toUnixTimestamp64Milli(min(ts)) AS first_at
FROM metric_sample
WHERE org_id = {org:String} AND resource_uid IN {uids:Array(String)} AND cloud_account_id = {account:String}
    AND ts >= {until:DateTime('UTC')} - INTERVAL 90 DAY AND ts < {until:DateTime('UTC')}
GROUP BY resource_uid, metric
ORDER BY resource_uid, metric
