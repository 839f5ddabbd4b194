-- What clusters cost from {from} to {to}, by cluster, namespace and what else is asked for ({by_cluster}, {by_controller}, {by_pod},
-- {by_node} 1; {label} the key of a label): one row a combination and kind (workload, idle, overhead, unmeasured). {shares} 1 adds
-- to workloads what was idle of their cluster, of processors, memory and accelerators apart, as they cost of each; cut at the 14th
-- place, the largest takes what is left over. Idle costs of which nobody used anything stay idle. apart leaves out all but workloads.
-- Empty lists {accounts}, {clusters}, {namespaces}, {controllers} (kind/name) and {label_keys} mean all; of the labels {label_keys} a
-- workload has one of the {label_values} in the same place, '' where it has none. They leave out what is no workload's; what was
-- idle is shared before. {scoped} 1 leaves only {scope_accounts}. {cost} is one of billed_cost,
-- effective_cost, contracted_cost, list_cost, and {cpu_cost}, {memory_cost} and so on its columns by component: cpu_billed_cost.
-- Hours requested, used and allocated are of a core or a GiB.
WITH part AS
(
    SELECT
        /*if shares*/cluster_uid/*else if({by_cluster:UInt8} = 1, cluster_uid, '') end*/ AS cluster_of,
        /*if shares*/namespace/*else if({by_namespace:UInt8} = 1, namespace, '') end*/ AS namespace_of,
        /*if by_controller*/if({by_controller:UInt8} = 1, controller_kind, '')/*else '' end*/ AS kind_of,
        /*if by_controller*/if({by_controller:UInt8} = 1, controller, '')/*else '' end*/ AS name_of,
        /*if detailed*/if({by_pod:UInt8} = 1, pod, '')/*else '' end*/ AS pod_of, /*if detailed*/if({by_node:UInt8} = 1, node, '')/*else '' end*/ AS node_of,
        /*if label*/if({label:String} != '' AND kind IN ('workload', 'usage'), labels[{label:String}], '')/*else '' end*/ AS label_of,
        /*if detailed*/if(kind = 'usage', 'workload', kind)/*else kind end*/ AS kind_in,
        /*if shares*/(empty({namespaces:Array(String)}) OR namespace IN {namespaces:Array(String)})
            /*if controllers*/AND (empty({controllers:Array(String)}) OR kind IN ('workload', 'usage') AND concat(controller_kind, '/', controller) IN {controllers:Array(String)})/*end*/
            /*if label_keys*/AND (empty({label_keys:Array(String)}) OR kind IN ('workload', 'usage')
                AND arrayAll((k, v) -> has(v, labels[k]), {label_keys:Array(String)}, {label_values:Array(Array(String))}))/*end*//*else 1 end*/ AS is_meant,
        sum({cost:Identifier}) AS own,
        /*if detailed*/sumIf({cost:Identifier}, component = 'cpu')/*else sum({cpu_cost:Identifier}) end*/ AS cpu_own,
        /*if detailed*/sumIf({cost:Identifier}, component = 'memory')/*else sum({memory_cost:Identifier}) end*/ AS memory_own,
        /*if detailed*/sumIf({cost:Identifier}, component = 'gpu')/*else sum({gpu_cost:Identifier}) end*/ AS gpu_own,
        /*if detailed*/sumIf({cost:Identifier}, component = 'storage')/*else sum({storage_cost:Identifier}) end*/ AS storage_own,
        /*if detailed*/sumIf({cost:Identifier}, component = 'load_balancer')/*else sum({load_balancer_cost:Identifier}) end*/ AS load_balancer_own,
        /*if detailed*/sumIf({cost:Identifier}, component = 'network')/*else sum({network_cost:Identifier}) end*/ AS network_own,
        toDecimal128(0, 14) AS idle_share, sumIf({cost:Identifier}, estimated = 1) AS own_estimated,
        /*if shares*/
        /*if detailed*/sumIf({cost:Identifier}, component = 'cpu' AND estimated = 1)/*else sumIf({cpu_cost:Identifier}, estimated = 1) end*/ AS cpu_estimated,
        /*if detailed*/sumIf({cost:Identifier}, component = 'memory' AND estimated = 1)/*else sumIf({memory_cost:Identifier}, estimated = 1) end*/ AS memory_estimated,
        /*if detailed*/sumIf({cost:Identifier}, component = 'gpu' AND estimated = 1)/*else sumIf({gpu_cost:Identifier}, estimated = 1) end*/ AS gpu_estimated,
        /*end*/
        /*if detailed*/sumIf(requested, component = 'cpu')/*else sum(cpu_requested) end*/ AS cpu_requested_in,
        /*if detailed*/sumIf(used, component = 'cpu')/*else sum(cpu_used) end*/ AS cpu_used_in,
        /*if detailed*/sumIf(allocated, component = 'cpu')/*else sum(cpu_allocated) end*/ AS cpu_allocated_in,
        /*if detailed*/sumIf(measured, component = 'cpu')/*else sum(cpu_measured) end*/ AS cpu_measured_in,
        /*if detailed*/sumIf(requested, component = 'memory')/*else sum(memory_requested) end*/ AS memory_requested_in,
        /*if detailed*/sumIf(used, component = 'memory')/*else sum(memory_used) end*/ AS memory_used_in,
        /*if detailed*/sumIf(allocated, component = 'memory')/*else sum(memory_allocated) end*/ AS memory_allocated_in,
        /*if detailed*/sumIf(measured, component = 'memory')/*else sum(memory_measured) end*/ AS memory_measured_in
    FROM /*if no coarse*//*if detailed*/kubernetes_cost_slot/*else kubernetes_workload_slot end*//*else kubernetes_namespace_slot end*/
    WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        AND edition IN
        (
            SELECT edition FROM cost_day FINAL
            WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        )
        /*if accounts*/AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})/*end*/
        /*if clusters*/AND (empty({clusters:Array(String)}) OR cluster_uid IN {clusters:Array(String)})/*end*/
        /*if namespaces*/AND ({shares:UInt8} = 1 OR empty({namespaces:Array(String)}) OR namespace IN {namespaces:Array(String)})/*end*/
        /*if controllers*/AND ({shares:UInt8} = 1 OR empty({controllers:Array(String)}) OR kind IN ('workload', 'usage') AND concat(controller_kind, '/', controller) IN {controllers:Array(String)})/*end*/
        /*if label_keys*/AND ({shares:UInt8} = 1 OR empty({label_keys:Array(String)}) OR kind IN ('workload', 'usage')
            AND arrayAll((k, v) -> has(v, labels[k]), {label_keys:Array(String)}, {label_values:Array(Array(String))}))/*end*/
        /*if scoped*/AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)})/*end*/
    GROUP BY ALL
)/*if shares*/,
-- In units of the 14th place. Of processors, memory and accelerators, first what they cost, then what of it is estimated; of the rest
-- all, what of it is estimated, storage, load balancers and network; hours in the order of the columns above. Columns that are named
-- far from where they are read take longer to plan than to add up, so they travel together.
gathered AS
(
    SELECT cluster_of,
        arraySort(x -> x.1, groupArray(((toString(namespace_of), toString(kind_of), name_of, pod_of, node_of, label_of, toString(kind_in), is_meant), toString(kind_in),
            [toInt256(reinterpret(cpu_own, 'Int128')), toInt256(reinterpret(memory_own, 'Int128')), toInt256(reinterpret(gpu_own, 'Int128')),
             toInt256(reinterpret(cpu_estimated, 'Int128')), toInt256(reinterpret(memory_estimated, 'Int128')), toInt256(reinterpret(gpu_estimated, 'Int128'))],
            [toInt256(reinterpret(own, 'Int128')), toInt256(reinterpret(own_estimated, 'Int128')),
             toInt256(reinterpret(storage_own, 'Int128')), toInt256(reinterpret(load_balancer_own, 'Int128')), toInt256(reinterpret(network_own, 'Int128'))],
            [cpu_requested_in, cpu_used_in, cpu_allocated_in, cpu_measured_in, memory_requested_in, memory_used_in, memory_allocated_in, memory_measured_in],
            (if({by_cluster:UInt8} = 1, cluster_of, ''), if({by_namespace:UInt8} = 1, toString(namespace_of), ''), toString(kind_of), name_of, pod_of, node_of, label_of, toString(kind_in)),
            is_meant))) AS parts
    FROM part
    GROUP BY cluster_of
),
-- What is estimated is shared as all of it is.
weighed AS
(
    SELECT parts,
        arrayMap(c -> arrayMap(x -> if(x.2 = 'workload' AND {shares:UInt8} = 1, greatest(x.3[c], 0), toInt256(0)), parts), [1, 2, 3, 1, 2, 3]) AS weights,
        arrayMap(c -> arraySum(x -> if(x.2 = 'idle', x.3[c], toInt256(0)), parts), [1, 2, 3, 4, 5, 6]) AS idle
    FROM gathered
),
-- Of each what is idle, the sum of the weights, which is the largest, and the weights; then what is left over instead of them.
summed AS
(
    SELECT parts, arrayMap((i, v) -> (i, arraySum(v), indexOf(v, arrayMax(v)), v), idle, weights) AS sums
    FROM weighed
),
divided AS
(
    SELECT parts, arrayMap(s -> (s.1, s.2, s.3, s.1 - arraySum(of -> intDivOrZero(s.1 * of, s.2), s.4)), sums) AS sums
    FROM summed
),
given_out AS
(
    SELECT arraySum(s -> s.2, sums) = 0 AS is_unused,
        arrayMap((w, place) -> (w,
            arrayMap((v, s) -> if(w.2 = 'idle' AND s.2 > 0, toInt256(0), v), w.3, sums),
            arrayMap((v, s) -> if(w.2 != 'workload' OR s.2 = 0, toInt256(0), intDivOrZero(s.1 * greatest(v, 0), s.2) + if(place = s.3, s.4, 0)),
                arrayConcat(arraySlice(w.3, 1, 3), arraySlice(w.3, 1, 3)), sums)), parts, arrayEnumerate(parts)) AS parts
    FROM divided
),
-- What it is called, amounts in the order of the columns below, hours, whether it is meant, and whether it is told of though it costs nothing.
shared AS
(
    SELECT arrayJoin(arrayMap(x -> (x.1.6,
        [x.1.4[1] - arraySum(arraySlice(x.1.3, 1, 3)) + arraySum(arraySlice(x.2, 1, 3)) + arraySum(arraySlice(x.3, 1, 3)),
         x.2[1], x.2[2], x.2[3], x.1.4[3], x.1.4[4], x.1.4[5], arraySum(arraySlice(x.3, 1, 3)),
         x.1.4[2] - arraySum(arraySlice(x.1.3, 4, 3)) + arraySum(arraySlice(x.2, 4, 3)) + arraySum(arraySlice(x.3, 4, 3))],
        x.1.5, x.1.7, x.1.2 != 'idle' OR is_unused), parts)) AS x
    FROM given_out
),
told AS
(
    SELECT x.1 AS called, arrayMap(v -> reinterpret(toInt128(v), 'Decimal(38, 14)'), sumForEach(x.2)) AS amounts, sumForEach(x.3) AS hours
    FROM shared
    WHERE x.4 AND (x.5 OR x.2[1] != 0)
    GROUP BY called
)/*end*/
SELECT
    /*if shares*/called.1/*else cluster_of end*/ AS cluster, /*if shares*/called.2/*else namespace_of end*/ AS of_namespace,
    /*if shares*/called.3/*else kind_of end*/ AS controller_kind, /*if shares*/called.4/*else name_of end*/ AS controller,
    /*if shares*/called.5/*else pod_of end*/ AS pod, /*if shares*/called.6/*else node_of end*/ AS node,
    /*if shares*/called.7/*else label_of end*/ AS label_value, /*if shares*/called.8/*else kind_in end*/ AS kind,
    /*if shares*/amounts[1]/*else own end*/ AS cost_usd, /*if shares*/amounts[2]/*else cpu_own end*/ AS cpu_usd,
    /*if shares*/amounts[3]/*else memory_own end*/ AS memory_usd, /*if shares*/amounts[4]/*else gpu_own end*/ AS gpu_usd,
    /*if shares*/amounts[5]/*else storage_own end*/ AS storage_usd, /*if shares*/amounts[6]/*else load_balancer_own end*/ AS load_balancer_usd,
    /*if shares*/amounts[7]/*else network_own end*/ AS network_usd, /*if shares*/amounts[8]/*else idle_share end*/ AS idle_usd,
    /*if shares*/amounts[9]/*else own_estimated end*/ AS estimated_usd, /*if shares*/hours[1]/*else cpu_requested_in end*/ AS cpu_requested,
    /*if shares*/hours[2]/*else cpu_used_in end*/ AS cpu_used, /*if shares*/hours[3]/*else cpu_allocated_in end*/ AS cpu_allocated,
    /*if shares*/hours[4]/*else cpu_measured_in end*/ AS cpu_measured, /*if shares*/hours[5]/*else memory_requested_in end*/ AS memory_requested,
    /*if shares*/hours[6]/*else memory_used_in end*/ AS memory_used, /*if shares*/hours[7]/*else memory_allocated_in end*/ AS memory_allocated,
    /*if shares*/hours[8]/*else memory_measured_in end*/ AS memory_measured,
    count() OVER () AS total, sum(cost_usd) OVER () AS total_usd
FROM /*if shares*/told/*else part end*/
WHERE {idle:String} != 'apart' OR kind = 'workload'
ORDER BY if({asc:UInt8}, cost_usd, -cost_usd),
    /*if shares*/called/*else (cluster_of, namespace_of, kind_of, name_of, pod_of, node_of, label_of, kind_in) end*/
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
