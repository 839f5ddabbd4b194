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
-- In units of the 14th place. Processors, memory and accelerators are the first, second and third of each list; hours are in the order
-- of the columns above. A step a query, and what something is called in one column: what is named in a query and used in the same is
-- worked out wherever it is used, and many columns to group by take longer to plan than to group.
gathered AS
(
    SELECT cluster_of,
        arraySort(x -> x.1, groupArray(((toString(namespace_of), toString(kind_of), name_of, pod_of, node_of, label_of, toString(kind_in), is_meant), toString(kind_in),
            [toInt256(reinterpret(cpu_own, 'Int128')), toInt256(reinterpret(memory_own, 'Int128')), toInt256(reinterpret(gpu_own, 'Int128'))],
            [toInt256(reinterpret(cpu_estimated, 'Int128')), toInt256(reinterpret(memory_estimated, 'Int128')), toInt256(reinterpret(gpu_estimated, 'Int128'))],
            [toInt256(reinterpret(storage_own, 'Int128')), toInt256(reinterpret(load_balancer_own, 'Int128')), toInt256(reinterpret(network_own, 'Int128'))],
            toInt256(reinterpret(own, 'Int128')), toInt256(reinterpret(own_estimated, 'Int128')),
            [cpu_requested_in, cpu_used_in, cpu_allocated_in, cpu_measured_in, memory_requested_in, memory_used_in, memory_allocated_in, memory_measured_in],
            (if({by_cluster:UInt8} = 1, cluster_of, ''), if({by_namespace:UInt8} = 1, toString(namespace_of), ''), toString(kind_of), name_of, pod_of, node_of, label_of, toString(kind_in)),
            is_meant))) AS parts
    FROM part
    GROUP BY cluster_of
),
weighed AS
(
    SELECT cluster_of, parts,
        arrayMap(c -> arrayMap(x -> if(x.2 = 'workload' AND {shares:UInt8} = 1, greatest(x.3[c], 0), toInt256(0)), parts), [1, 2, 3]) AS weights,
        arrayMap(c -> arraySum(arrayMap(x -> if(x.2 = 'idle', x.3[c], toInt256(0)), parts)), [1, 2, 3]) AS idle,
        arrayMap(c -> arraySum(arrayMap(x -> if(x.2 = 'idle', x.4[c], toInt256(0)), parts)), [1, 2, 3]) AS idle_estimated
    FROM gathered
),
summed AS
(
    SELECT cluster_of, parts, weights, idle, idle_estimated,
        arrayMap(v -> arraySum(v), weights) AS weight, arrayMap(v -> indexOf(v, arrayMax(v)), weights) AS largest
    FROM weighed
),
divided AS
(
    SELECT cluster_of, parts, idle, idle_estimated, weight, largest,
        arrayMap((i, v, a) -> if(a = 0, toInt256(0), i - arraySum(arrayMap(of -> intDivOrZero(i * of, a), v))), idle, weights, weight) AS rest,
        arrayMap((i, v, a) -> if(a = 0, toInt256(0), i - arraySum(arrayMap(of -> intDivOrZero(i * of, a), v))), idle_estimated, weights, weight) AS rest_estimated
    FROM summed
),
given_out AS
(
    SELECT w, weight,
        arrayMap((v, a) -> if(w.2 = 'idle' AND a > 0, toInt256(0), v), w.3, weight) AS kept,
        arrayMap((i, v, a, l, r) -> if(w.2 != 'workload', toInt256(0), intDivOrZero(i * greatest(v, 0), a) + if(place = l, r, 0)),
            idle, w.3, weight, largest, rest) AS given,
        arrayMap((i, v, a, l, r) -> if(w.2 != 'workload', toInt256(0), intDivOrZero(i * greatest(v, 0), a) + if(place = l, r, 0)),
            idle_estimated, w.3, weight, largest, rest_estimated) AS given_estimated
    FROM divided
    ARRAY JOIN parts AS w, arrayEnumerate(parts) AS place
),
shared AS
(
    SELECT w.9 AS called, w.10 AS is_meant, w.2 AS kind_in, arraySum(weight) = 0 AS is_unused, arrayConcat(kept, w.5) AS amounts, arraySum(given) AS share, w.8 AS hours,
        w.6 - arraySum(w.3) + arraySum(kept) + share AS own,
        w.7 - if(w.2 = 'idle', arraySum(arrayMap((e, a) -> if(a > 0, e, toInt256(0)), w.4, weight)), toInt256(0)) + arraySum(given_estimated) AS own_estimated
    FROM given_out
),
told AS
(
    SELECT called, sum(own) AS all_own, sum(share) AS all_share, sum(own_estimated) AS all_estimated,
        arrayMap(v -> reinterpret(toInt128(v), 'Decimal(38, 14)'), sumForEach(amounts)) AS all_amounts, sumForEach(hours) AS all_hours
    FROM shared
    WHERE is_meant AND (kind_in != 'idle' OR own != 0 OR is_unused)
    GROUP BY called
),
item AS
(
    SELECT called.1 AS cluster_of, called.2 AS namespace_of, called.3 AS kind_of, called.4 AS name_of, called.5 AS pod_of, called.6 AS node_of, called.7 AS label_of,
        called.8 AS kind_in, reinterpret(toInt128(all_own), 'Decimal(38, 14)') AS own,
        all_amounts[1] AS cpu_own, all_amounts[2] AS memory_own, all_amounts[3] AS gpu_own, all_amounts[4] AS storage_own,
        all_amounts[5] AS load_balancer_own, all_amounts[6] AS network_own,
        reinterpret(toInt128(all_share), 'Decimal(38, 14)') AS idle_share, reinterpret(toInt128(all_estimated), 'Decimal(38, 14)') AS own_estimated,
        all_hours[1] AS cpu_requested_in, all_hours[2] AS cpu_used_in, all_hours[3] AS cpu_allocated_in, all_hours[4] AS cpu_measured_in,
        all_hours[5] AS memory_requested_in, all_hours[6] AS memory_used_in, all_hours[7] AS memory_allocated_in, all_hours[8] AS memory_measured_in
    FROM told
)/*end*/
SELECT cluster_of AS cluster, namespace_of AS of_namespace, kind_of AS controller_kind, name_of AS controller, pod_of AS pod, node_of AS node,
    label_of AS label_value, kind_in AS kind, own AS cost_usd,
    cpu_own AS cpu_usd, memory_own AS memory_usd, gpu_own AS gpu_usd, storage_own AS storage_usd,
    load_balancer_own AS load_balancer_usd, network_own AS network_usd,
    idle_share AS idle_usd, own_estimated AS estimated_usd,
    cpu_requested_in AS cpu_requested, cpu_used_in AS cpu_used, cpu_allocated_in AS cpu_allocated,
    cpu_measured_in AS cpu_measured, memory_requested_in AS memory_requested, memory_used_in AS memory_used,
    memory_allocated_in AS memory_allocated, memory_measured_in AS memory_measured,
    count() OVER () AS total, sum(cost_usd) OVER () AS total_usd
FROM /*if shares*/item/*else part end*/
WHERE {idle:String} != 'apart' OR kind_in = 'workload'
ORDER BY
    if({asc:UInt8}, cost_usd, -cost_usd),
    cluster, of_namespace, controller_kind, controller, pod, node, label_value, kind
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
