-- The number of hours of each day with data on a cluster: one row per cluster and day. Read by GET /reports/kubernetes.
-- Marks: accounts, clusters, scoped.
SELECT cloud_account_id, cluster_uid, day, bitCount(groupBitOr(bitShiftLeft(toUInt32(1), toHour(`from`)))) AS hours
FROM
(
    SELECT org_id, cloud_account_id, day, cluster_uid, `from` FROM kubernetes_node
    UNION ALL
    SELECT org_id, cloud_account_id, day, cluster_uid, moment AS `from` FROM kubernetes_node_day ARRAY JOIN `hours.moment` AS moment
)
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    /*if accounts*/AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})/*end*/
    /*if clusters*/AND (empty({clusters:Array(String)}) OR cluster_uid IN {clusters:Array(String)})/*end*/
    /*if scoped*/AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)})/*end*/
GROUP BY cloud_account_id, cluster_uid, day
ORDER BY cloud_account_id, cluster_uid, day
