-- The mean CPU of resources in the 14 days before {until}, percent; none for a resource without a sample. Of a sample that was sent
-- again the newest counts.
SELECT resource_uid, avg(value) AS average
FROM metric_sample FINAL
WHERE org_id = {org:String} AND cloud_account_id = {account:String} AND resource_uid IN {uids:Array(String)}
  AND metric = 'cpu_percent' AND ts >= toDateTime64({until:String}, 3, 'UTC') - INTERVAL 14 DAY
  AND ts < toDateTime64({until:String}, 3, 'UTC')
GROUP BY resource_uid
