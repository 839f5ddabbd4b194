-- Cluster costs from {from} to {to}, both included, in US dollars: one row per cluster ({by_cluster} 1), namespace, and as requested
-- workload ({by_controller}), pod ({by_pod}), node ({by_node}) and value of the label {label}, and per kind (workload, idle, overhead,
-- unmeasured). {shares} 1 adds to workloads their part of idle costs, as distributed by day, and subtracts it from idle.
-- {accounts}, {clusters}, {namespaces}, {controllers} (kind/name) and {label_keys}: an empty list means all. A workload must have one of
-- the {label_values} at the same position for each of {label_keys}, '' means without the label. Filters by namespace, controller or label
-- leave out costs of no workload. {scoped} 1 keeps only {scope_accounts}.
-- {cost} is billed_cost, effective_cost, contracted_cost or list_cost; {cpu_cost}, {memory_cost} and so on are its columns by component,
-- such as cpu_billed_cost; {cpu_idle}, {memory_idle} and {gpu_idle} those of distributed idle costs, such as cpu_idle_billed_cost. Hours
-- requested, used and allocated are of a core or GiB. Read by GET /reports/kubernetes and its export.
-- Marks: accounts, by_controller, clusters, coarse, controllers, detailed, label, label_keys, namespaces, scoped, shares.
WITH part AS
(
    SELECT
        if({by_cluster:UInt8} = 1, cluster_uid, '') AS cluster_of, if({by_namespace:UInt8} = 1, namespace, '') AS namespace_of,
        /*if by_controller*/if({by_controller:UInt8} = 1, controller_kind, '')/*else '' end*/ AS kind_of,
        /*if by_controller*/if({by_controller:UInt8} = 1, controller, '')/*else '' end*/ AS name_of,
        /*if detailed*/if({by_pod:UInt8} = 1, pod, '')/*else '' end*/ AS pod_of, /*if detailed*/if({by_node:UInt8} = 1, node, '')/*else '' end*/ AS node_of,
        /*if label*/if({label:String} != '' AND kind IN ('workload', 'usage'), labels[{label:String}], '')/*else '' end*/ AS label_of,
        /*if detailed*/if(kind = 'usage', 'workload', kind)/*else kind end*/ AS kind_in,
        sum({cost:Identifier}/*if shares*/ + ({cpu_idle:Identifier} + {memory_idle:Identifier} + {gpu_idle:Identifier})/*end*/) AS own,
        /*if detailed*/sumIf({cost:Identifier}, component = 'cpu')/*else sum({cpu_cost:Identifier}) end*//*if shares*/ + sum({cpu_idle:Identifier})/*end*/ AS cpu_own,
        /*if detailed*/sumIf({cost:Identifier}, component = 'memory')/*else sum({memory_cost:Identifier}) end*//*if shares*/ + sum({memory_idle:Identifier})/*end*/ AS memory_own,
        /*if detailed*/sumIf({cost:Identifier}, component = 'gpu')/*else sum({gpu_cost:Identifier}) end*//*if shares*/ + sum({gpu_idle:Identifier})/*end*/ AS gpu_own,
        /*if detailed*/sumIf({cost:Identifier}, component = 'storage')/*else sum({storage_cost:Identifier}) end*/ AS storage_own,
        /*if detailed*/sumIf({cost:Identifier}, component = 'load_balancer')/*else sum({load_balancer_cost:Identifier}) end*/ AS load_balancer_own,
        /*if detailed*/sumIf({cost:Identifier}, component = 'network')/*else sum({network_cost:Identifier}) end*/ AS network_own,
        /*if shares*/sumIf({cpu_idle:Identifier} + {memory_idle:Identifier} + {gpu_idle:Identifier}, kind = 'workload')/*else toDecimal128(0, 14) end*/ AS idle_share,
        sumIf({cost:Identifier}/*if shares*/ + ({cpu_idle:Identifier} + {memory_idle:Identifier} + {gpu_idle:Identifier})/*end*/, estimated = 1) AS own_estimated,
        /*if detailed*/sumIf(requested, component = 'cpu')/*else sum(cpu_requested) end*/ AS cpu_requested_in,
        /*if detailed*/sumIf(used, component = 'cpu')/*else sum(cpu_used) end*/ AS cpu_used_in,
        /*if detailed*/sumIf(allocated, component = 'cpu')/*else sum(cpu_allocated) end*/ AS cpu_allocated_in,
        /*if detailed*/sumIf(measured, component = 'cpu')/*else sum(cpu_measured) end*/ AS cpu_measured_in,
        /*if detailed*/sumIf(requested, component = 'memory')/*else sum(memory_requested) end*/ AS memory_requested_in,
        /*if detailed*/sumIf(used, component = 'memory')/*else sum(memory_used) end*/ AS memory_used_in,
        /*if detailed*/sumIf(allocated, component = 'memory')/*else sum(memory_allocated) end*/ AS memory_allocated_in,
        /*if detailed*/sumIf(measured, component = 'memory')/*else sum(memory_measured) end*/ AS memory_measured_in
    FROM /*if no coarse and detailed and shares*/
    (
        SELECT org_id, day, edition, cloud_account_id, cluster_uid, node, namespace, controller_kind, controller, pod, kind, estimated, labels,
            component, {cost:Identifier}, requested, used, allocated, measured,
            toDecimal128(0, 14) AS {cpu_idle:Identifier}, toDecimal128(0, 14) AS {memory_idle:Identifier}, toDecimal128(0, 14) AS {gpu_idle:Identifier}
        FROM kubernetes_cost_slot
        UNION ALL
        SELECT org_id, day, edition, cloud_account_id, cluster_uid, node, namespace, controller_kind, controller, pod, kind, estimated, labels,
            '', 0, 0, 0, 0, 0, {cpu_idle:Identifier}, {memory_idle:Identifier}, {gpu_idle:Identifier}
        FROM kubernetes_idle_slot
        WHERE {shares:UInt8} = 1
    )/*end*//*if coarse or no detailed or shares*//*else kubernetes_cost_slot end*//*if coarse or detailed*//*else kubernetes_workload_slot end*//*if no coarse*//*else kubernetes_namespace_slot end*/
    WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        AND edition IN
        (
            SELECT edition FROM cost_day FINAL
            WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        )
        /*if accounts*/AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})/*end*/
        /*if clusters*/AND (empty({clusters:Array(String)}) OR cluster_uid IN {clusters:Array(String)})/*end*/
        /*if namespaces*/AND (empty({namespaces:Array(String)}) OR namespace IN {namespaces:Array(String)})/*end*/
        /*if controllers*/AND (empty({controllers:Array(String)}) OR kind IN ('workload', 'usage') AND concat(controller_kind, '/', controller) IN {controllers:Array(String)})/*end*/
        /*if label_keys*/AND (empty({label_keys:Array(String)}) OR kind IN ('workload', 'usage')
            AND arrayAll((k, v) -> has(v, labels[k]), {label_keys:Array(String)}, {label_values:Array(Array(String))}))/*end*/
        /*if scoped*/AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)})/*end*/
    GROUP BY ALL
)
SELECT cluster_of AS cluster, namespace_of AS of_namespace, kind_of AS controller_kind, name_of AS controller, pod_of AS pod, node_of AS node,
    label_of AS label_value, kind_in AS kind, own AS cost_usd, cpu_own AS cpu_usd, memory_own AS memory_usd, gpu_own AS gpu_usd,
    storage_own AS storage_usd, load_balancer_own AS load_balancer_usd, network_own AS network_usd, idle_share AS idle_usd,
    own_estimated AS estimated_usd, cpu_requested_in AS cpu_requested, cpu_used_in AS cpu_used, cpu_allocated_in AS cpu_allocated,
    cpu_measured_in AS cpu_measured, memory_requested_in AS memory_requested, memory_used_in AS memory_used,
    memory_allocated_in AS memory_allocated, memory_measured_in AS memory_measured, count() OVER () AS total, sum(cost_usd) OVER () AS total_usd
FROM part
WHERE ({idle:String} != 'apart' OR kind = 'workload')/*if shares*/ AND ({shares:UInt8} = 0 OR kind != 'idle' OR cost_usd != 0)/*end*/
ORDER BY if({asc:UInt8}, cost_usd, -cost_usd), (cluster_of, namespace_of, kind_of, name_of, pod_of, node_of, label_of, kind_in)
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
