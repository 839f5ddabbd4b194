-- Workloads and namespaces of the clusters {clusters} that have a team of their own: one row per month, account ('' for any account) and
-- resource; `period` is 0 for now, and the month for closed months from {from} to {to}. Sent with queries by
-- analytics/attribution/sharing.ts.
SELECT DISTINCT period, cloud_account_id, resource_uid
FROM teamed_resources(org = {org:String}, from = {from:Date32}, to = {to:Date32})
WHERE arrayExists(cluster -> startsWith(resource_uid, concat(cluster, '/')), {clusters:Array(String)})
ORDER BY period, cloud_account_id, resource_uid
LIMIT {limit:UInt32}
