-- Mean CPU of targets, in per cent, from {since} until before {until}: one row per target of these accounts that has samples. Read by the
-- autoscaler.
SELECT s.cloud_account_id, s.resource_uid, avg(s.value) AS average_cpu
FROM metric_sample AS s FINAL
ARRAY JOIN (range(greatest(s.samples, 1))) AS nth
WHERE s.org_id = {org:String} AND s.cloud_account_id IN {accounts:Array(String)} AND s.resource_uid IN {uids:Array(String)} AND s.metric = 'cpu_percent'
    AND s.ts >= {since:DateTime64(3, 'UTC')} AND s.ts < {until:DateTime64(3, 'UTC')}
GROUP BY s.cloud_account_id, s.resource_uid
ORDER BY s.cloud_account_id, s.resource_uid
