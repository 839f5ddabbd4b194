-- Label keys of workloads, most expensive first: one row per key, with its number of values and the cost in US dollars of workloads that
-- have it. {accounts}, {clusters} and {namespaces}: an empty list means all; {search} is a part of the key, in upper or lower case. Read
-- by GET /reports/kubernetes/labels.
-- Marks: accounts, clusters, namespaces, scoped.
SELECT key, uniqExact(value) AS `values`, sum({cost:Identifier}) AS cost_usd, count() OVER () AS total
FROM kubernetes_workload_slot
ARRAY JOIN labels.keys AS key, labels.values AS value
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND kind = 'workload'
    AND edition IN
    (
        SELECT edition FROM cost_day FINAL
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    )
    /*if accounts*/AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})/*end*/
    /*if clusters*/AND (empty({clusters:Array(String)}) OR cluster_uid IN {clusters:Array(String)})/*end*/
    /*if namespaces*/AND (empty({namespaces:Array(String)}) OR namespace IN {namespaces:Array(String)})/*end*/
    /*if scoped*/AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)})/*end*/
    AND positionCaseInsensitiveUTF8(key, {search:String}) > 0
GROUP BY key
ORDER BY cost_usd DESC, key
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
