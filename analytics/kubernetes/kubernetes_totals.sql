-- Costs of all clusters from {from} to {to}, both included, in US dollars, and the part from the price tables: one row per kind (workload,
-- idle, overhead, unmeasured). The filters are those of kubernetes_costs. Read by GET /reports/kubernetes.
-- Marks: accounts, clusters, controllers, fine, label_keys, namespaces, scoped.
SELECT kind, sum({cost:Identifier}) AS cost_usd, sumIf({cost:Identifier}, estimated = 1) AS estimated_usd
FROM /*if fine*/kubernetes_workload_slot/*else kubernetes_namespace_slot end*/
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    AND edition IN
    (
        SELECT edition FROM cost_day FINAL
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    )
    /*if accounts*/AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})/*end*/
    /*if clusters*/AND (empty({clusters:Array(String)}) OR cluster_uid IN {clusters:Array(String)})/*end*/
    /*if namespaces*/AND (empty({namespaces:Array(String)}) OR namespace IN {namespaces:Array(String)})/*end*/
    /*if controllers*/AND (empty({controllers:Array(String)}) OR kind = 'workload' AND concat(controller_kind, '/', controller) IN {controllers:Array(String)})/*end*/
    /*if label_keys*/AND (empty({label_keys:Array(String)}) OR kind = 'workload'
        AND arrayAll((k, v) -> has(v, labels[k]), {label_keys:Array(String)}, {label_values:Array(Array(String))}))/*end*/
    /*if scoped*/AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)})/*end*/
GROUP BY kind
ORDER BY kind
