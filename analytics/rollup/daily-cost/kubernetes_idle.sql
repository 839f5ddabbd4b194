-- Distributes idle costs of the days {days} that kubernetes_cost wrote into slot {slot} or the next one under {generation}: for
-- processors, memory and accelerators separately, each of the four costs in proportion to that cost of the cluster's workloads, estimated
-- and actual costs separately. In US dollars, rounded down at 14 decimals; the largest part, of equal ones the first, gets the remainder.
INSERT INTO kubernetes_idle_slot
    (org_id, day, cloud_account_id, slot, generation, cluster_uid, node, namespace, controller_kind, controller, pod, kind, estimated, labels,
     cpu_idle_billed_cost, cpu_idle_effective_cost, cpu_idle_contracted_cost, cpu_idle_list_cost, memory_idle_billed_cost,
     memory_idle_effective_cost, memory_idle_contracted_cost, memory_idle_list_cost, gpu_idle_billed_cost,
     gpu_idle_effective_cost, gpu_idle_contracted_cost, gpu_idle_list_cost)
WITH
-- In units of the 14th place.
part AS
(
    SELECT org_id, day, cloud_account_id, slot, cluster_uid, component,
        (toString(namespace), toString(controller_kind), controller, pod, node, toString(kind), if(kind = 'idle', estimated, 0)) AS who,
        any(CAST(labels, 'Map(String, String)')) AS labels_of,
        arrayMap(c -> toInt256(reinterpret(c, 'Int128')), [sum(billed_cost), sum(effective_cost), sum(contracted_cost), sum(list_cost)]) AS costs
    FROM kubernetes_cost_slot
    WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))} AND slot IN ({slot:UInt8}, {slot:UInt8} + 1)
        AND generation = {generation:UInt64} AND kind IN ('workload', 'idle') AND component IN ('cpu', 'memory', 'gpu')
    GROUP BY org_id, day, cloud_account_id, slot, cluster_uid, component, who
),
-- Of each of the four costs: what all workloads have of it, which is the largest, and what is to be handed out, without and with estimates.
weighed AS
(
    SELECT org_id, day, cloud_account_id, slot, cluster_uid, component, arraySort(x -> x.1, groupArray((who, labels_of, costs))) AS parts,
        arrayMap(x -> arrayMap(c -> if(x.1.6 = 'workload', greatest(c, 0), 0), x.3), parts) AS wanted,
        arrayMap(k -> arrayMap(w -> w[k], wanted), [1, 2, 3, 4]) AS weights, arrayMap(v -> arraySum(v), weights) AS sums,
        arrayMap(v -> indexOf(v, arrayMax(v)), weights) AS largest,
        [sumForEachIf(costs, who.6 = 'idle' AND who.7 = 0), sumForEachIf(costs, who.6 = 'idle' AND who.7 = 1)] AS given
    FROM part
    GROUP BY org_id, day, cloud_account_id, slot, cluster_uid, component
    HAVING arrayExists(s -> s > 0, sums) AND arrayExists(x -> x.1.6 = 'idle', parts)
),
-- What cutting leaves over, by estimated and by cost. Arrays of all parts are nowhere named inside of a step over them: they would be
-- held once for each.
cut AS
(
    SELECT org_id, day, cloud_account_id, slot, cluster_uid, component, parts, sums, largest, given,
        arrayMap(of -> arrayMap((g, s, v) -> if(s = 0, 0, g - arraySum(w -> intDivOrZero(g * w, s), v)), arrayResize(of, 4), sums, weights), given) AS rest
    FROM weighed
),
share AS
(
    SELECT org_id, day, cloud_account_id, slot, cluster_uid, component, x.1 AS who, x.2 AS labels_of, e AS of_estimated,
        if(who.6 = 'idle',
            arrayMap((c, s) -> if(s = 0 OR who.7 != e, 0, -c), x.3, sums),
            arrayMap((c, g, s, r, l) -> intDivOrZero(g * greatest(c, 0), s) + if(l = place, r, 0),
                x.3, arrayResize(given[e + 1], 4), sums, rest[e + 1], largest)) AS shares
    FROM (SELECT *, arrayJoin([0, 1]) AS e FROM cut)
    ARRAY JOIN parts AS x, arrayEnumerate(parts) AS place
    WHERE arrayExists(s -> s != 0, shares)
)
SELECT org_id, day, cloud_account_id, slot, {generation:UInt64} AS generation, cluster_uid, who.5 AS node, who.1 AS namespace,
    who.2 AS controller_kind, who.3 AS controller, who.4 AS pod, who.6 AS kind, of_estimated AS estimated, any(labels_of) AS labels,
    reinterpret(toInt128(sumIf(shares[1], component = 'cpu')), 'Decimal(38, 14)') AS cpu_idle_billed_cost,
    reinterpret(toInt128(sumIf(shares[2], component = 'cpu')), 'Decimal(38, 14)') AS cpu_idle_effective_cost,
    reinterpret(toInt128(sumIf(shares[3], component = 'cpu')), 'Decimal(38, 14)') AS cpu_idle_contracted_cost,
    reinterpret(toInt128(sumIf(shares[4], component = 'cpu')), 'Decimal(38, 14)') AS cpu_idle_list_cost,
    reinterpret(toInt128(sumIf(shares[1], component = 'memory')), 'Decimal(38, 14)') AS memory_idle_billed_cost,
    reinterpret(toInt128(sumIf(shares[2], component = 'memory')), 'Decimal(38, 14)') AS memory_idle_effective_cost,
    reinterpret(toInt128(sumIf(shares[3], component = 'memory')), 'Decimal(38, 14)') AS memory_idle_contracted_cost,
    reinterpret(toInt128(sumIf(shares[4], component = 'memory')), 'Decimal(38, 14)') AS memory_idle_list_cost,
    reinterpret(toInt128(sumIf(shares[1], component = 'gpu')), 'Decimal(38, 14)') AS gpu_idle_billed_cost,
    reinterpret(toInt128(sumIf(shares[2], component = 'gpu')), 'Decimal(38, 14)') AS gpu_idle_effective_cost,
    reinterpret(toInt128(sumIf(shares[3], component = 'gpu')), 'Decimal(38, 14)') AS gpu_idle_contracted_cost,
    reinterpret(toInt128(sumIf(shares[4], component = 'gpu')), 'Decimal(38, 14)') AS gpu_idle_list_cost
FROM share
GROUP BY org_id, day, cloud_account_id, slot, cluster_uid, node, namespace, controller_kind, controller, pod, kind, estimated
