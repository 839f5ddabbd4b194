-- What of the clusters {clusters} has a team of its own, in whatever account where that is empty: now (period 0), and in each closed month
-- from {from} to {to}.
SELECT DISTINCT period, cloud_account_id, resource_uid
FROM teamed_resources(org = {org:String}, from = {from:Date32}, to = {to:Date32})
WHERE arrayExists(cluster -> startsWith(resource_uid, concat(cluster, '/')), {clusters:Array(String)})
ORDER BY period, cloud_account_id, resource_uid
LIMIT {limit:UInt32}
