-- What clusters cost from {from} to {to}, by cluster, namespace and what else is asked for ({by_cluster}, {by_controller}, {by_pod},
-- {by_node} 1, of which the last two need {detailed} 1; {label} the key of a label): one row a combination and kind (workload, idle, overhead, unmeasured). {shares} 1 adds
-- to workloads what was idle of their cluster, of processors, memory and accelerators apart, as they cost of each; cut at the 14th
-- place, the largest takes what is left over. Idle costs of which nobody used anything stay idle. apart leaves out all but workloads.
-- Empty lists {accounts}, {clusters} and {namespaces} mean all. {scoped} 1 leaves only {scope_accounts}. {cost} is one of billed_cost,
-- effective_cost, contracted_cost, list_cost. Hours requested, used and allocated are of a core or a GiB.
WITH part AS
(
    SELECT cluster_uid, namespace,
        /*if by_controller*/if({by_controller:UInt8} = 1, controller_kind, '')/*else '' end*/ AS kind_of,
        /*if by_controller*/if({by_controller:UInt8} = 1, controller, '')/*else '' end*/ AS name_of,
        /*if detailed*/if({by_pod:UInt8} = 1, pod, '')/*else '' end*/ AS pod_of, /*if detailed*/if({by_node:UInt8} = 1, node, '')/*else '' end*/ AS node_of,
        /*if label*/if({label:String} != '' AND kind IN ('workload', 'usage'), labels[{label:String}], '')/*else '' end*/ AS label_of,
        /*if detailed*/if({detailed:UInt8} = 1 AND kind = 'usage', 'workload', kind)/*else kind end*/ AS kind_in, component,
        toInt256(reinterpret(sum({cost:Identifier}), 'Int128')) AS own,
        sumIf({cost:Identifier}, estimated = 1) AS estimated_cost,
        sum(requested) AS requested_in, sum(used) AS used_in, sum(allocated) AS allocated_in, sum(measured) AS measured_in
    FROM /*if detailed*/kubernetes_cost_slot/*else kubernetes_workload_slot end*/
    WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        AND edition IN
        (
            SELECT edition FROM cost_day FINAL
            WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        )
        /*if accounts*/AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})/*end*/
        /*if clusters*/AND (empty({clusters:Array(String)}) OR cluster_uid IN {clusters:Array(String)})/*end*/
        /*if scoped*/AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)})/*end*/
    GROUP BY ALL
)/*if shares*/,
shared AS
(
    SELECT cluster_uid, w.1 AS namespace, w.2 AS kind_of, w.3 AS name_of, w.4 AS pod_of, w.5 AS node_of, w.6 AS label_of,
        if(w.7 = 'idle' AND weight > 0, '', w.7) AS kind_in, component, w.8 AS own,
        if(w.7 = 'workload', intDivOrZero(idle * greatest(w.8, 0), weight) + if(place = largest, rest, 0), toInt256(0)) AS idle_share,
        w.9 + if(w.7 = 'workload', reinterpret(toInt128(intDivOrZero(idle_estimated * greatest(w.8, 0), weight)
            + if(place = largest, rest_estimated, 0)), 'Decimal(38, 14)'), toDecimal128(0, 14)) AS estimated_cost, w.10 AS requested_in, w.11 AS used_in, w.12 AS allocated_in, w.13 AS measured_in
    FROM
    (
        SELECT cluster_uid, component,
            arraySort(x -> (x.1, x.2, x.3, x.4, x.5, x.6, x.7), groupArray((toString(namespace), toString(kind_of), name_of, pod_of, node_of, label_of,
                toString(kind_in), own, estimated_cost, requested_in, used_in, allocated_in, measured_in))) AS parts,
            arrayMap(x -> if(x.7 = 'workload', greatest(x.8, 0), toInt256(0)), parts) AS weights, arraySum(weights) AS weight,
            arraySum(arrayMap(x -> if(x.7 = 'idle', x.8, toInt256(0)), parts)) AS idle,
            arraySum(arrayMap(x -> if(x.7 = 'idle', toInt256(reinterpret(x.9, 'Int128')), toInt256(0)), parts)) AS idle_estimated,
            if(weight = 0, toInt256(0), idle_estimated - arraySum(arrayMap(w -> intDivOrZero(idle_estimated * w, weight), weights))) AS rest_estimated,
            indexOf(weights, arrayMax(weights)) AS largest,
            if(weight = 0, toInt256(0), idle - arraySum(arrayMap(w -> intDivOrZero(idle * w, weight), weights))) AS rest
        FROM part
        GROUP BY cluster_uid, component
    )
    ARRAY JOIN parts AS w, arrayEnumerate(parts) AS place
)/*end*/,
told AS
(
    /*if shares*/
    SELECT cluster_uid, namespace, kind_of, name_of, pod_of, node_of, label_of, kind_in, component, own,
        idle_share, estimated_cost, requested_in, used_in, allocated_in, measured_in
    FROM shared
    WHERE {shares:UInt8} = 1 AND kind_in != ''
    /*else SELECT cluster_uid, namespace, kind_of, name_of, pod_of, node_of, label_of, kind_in, component, own, toInt256(0) AS idle_share, estimated_cost, requested_in, used_in, allocated_in, measured_in FROM part end*/
)
SELECT
    /*if by_cluster*/if({by_cluster:UInt8} = 1, cluster_uid, '')/*else '' end*/ AS cluster,
    /*if by_namespace*/if({by_namespace:UInt8} = 1, namespace, '')/*else '' end*/ AS of_namespace,
    kind_of AS controller_kind, name_of AS controller, pod_of AS pod, node_of AS node, label_of AS label_value, kind_in AS kind,
    reinterpret(toInt128(sum(own + idle_share)), 'Decimal(38, 14)') AS cost_usd,
    reinterpret(toInt128(sumIf(own, component = 'cpu')), 'Decimal(38, 14)') AS cpu_usd,
    reinterpret(toInt128(sumIf(own, component = 'memory')), 'Decimal(38, 14)') AS memory_usd,
    reinterpret(toInt128(sumIf(own, component = 'gpu')), 'Decimal(38, 14)') AS gpu_usd,
    reinterpret(toInt128(sumIf(own, component = 'storage')), 'Decimal(38, 14)') AS storage_usd,
    reinterpret(toInt128(sumIf(own, component = 'load_balancer')), 'Decimal(38, 14)') AS load_balancer_usd,
    reinterpret(toInt128(sumIf(own, component = 'network')), 'Decimal(38, 14)') AS network_usd,
    reinterpret(toInt128(sum(idle_share)), 'Decimal(38, 14)') AS idle_usd,
    sum(estimated_cost) AS estimated_usd,
    sumIf(requested_in, component = 'cpu') AS cpu_requested, sumIf(used_in, component = 'cpu') AS cpu_used,
    sumIf(allocated_in, component = 'cpu') AS cpu_allocated, sumIf(measured_in, component = 'cpu') AS cpu_measured,
    sumIf(requested_in, component = 'memory') AS memory_requested, sumIf(used_in, component = 'memory') AS memory_used,
    sumIf(allocated_in, component = 'memory') AS memory_allocated, sumIf(measured_in, component = 'memory') AS memory_measured,
    count() OVER () AS total
FROM told
WHERE ({idle:String} != 'apart' OR kind_in = 'workload')
    /*if namespaces*/AND (empty({namespaces:Array(String)}) OR namespace IN {namespaces:Array(String)})/*end*/
GROUP BY cluster, of_namespace, controller_kind, controller, pod, node, label_value, kind
ORDER BY
    if({asc:UInt8}, cost_usd, -cost_usd),
    cluster, of_namespace, controller_kind, controller, pod, node, label_value, kind
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
