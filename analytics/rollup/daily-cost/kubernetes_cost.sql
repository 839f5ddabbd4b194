-- Divides the costs of clusters on the days {days} among their users, from the same lines as cost_daily, into slot {slot} (days of
-- {behind} into the next one), under {generation}. One row per part, in US dollars. It works by the hour: a line is spread over those of
-- its hours in which its machine was up (whole seconds; an hour without data on the cluster counts as a full hour and is unmeasured), none
-- after {until}.
-- The hourly price of a machine is split between processors, memory and accelerators. Of each, a pod has the greater of what it requested
-- and used, relative to what there is, or to the sum of all pods if that is more; the rest is idle. Shares are rounded down at 9 decimals,
-- the rest gets the remainder; costs at 14 decimals, the largest part gets the remainder. So the parts of a line add up to it.
-- {patterns} and {names} find lines for traffic: they are divided by the bytes of pods if measured, otherwise they belong to the cluster.
-- The days are those of usage accounts; lines are from {billed}, their own bills and those of accounts that are billed for them. `region`
-- is followed by the billed account and the sub-account. Machines without a line on a day are priced from the price tables and marked as
-- estimated. `folded` also reads the days that the retention sweep has folded.
-- Marks: estimates, folded, untyped.
INSERT INTO kubernetes_cost_slot
    (org_id, day, cloud_account_id, slot, generation, provider, region, service_name, resource_type, purchase_type, charge_category,
     resource_uid, cluster_uid, node, namespace, controller_kind, controller, pod, kind, component, estimated, labels,
     billed_cost, effective_cost, contracted_cost, list_cost, estimated_lines, requested, used, allocated, measured,
     billing_account_id, sub_account_id)
WITH
/*if estimates*/
actual AS
(
    SELECT x_OrgId, x_CloudAccountId, x_Day, ResourceId, if(empty(ResourceId), ServiceName, '')
    FROM bill_row(days = {billed:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
    WHERE x_Source = 'actual' AND {estimates:UInt8}
),
/*end*/
-- A node whose machine is not known is one of its own, by a name that no bill has. Of several nodes that say they are one machine
-- in an hour the first has its costs.
node_hour AS
(
    SELECT *, toUInt8(row_number() OVER (PARTITION BY org_id, cloud_account_id, day, machine, hour ORDER BY cluster_uid, node) = 1) AS is_first
    FROM
    (
        SELECT org_id, cloud_account_id, day, cluster_uid, node, hour, argMax(resource_uid, `from`) AS uid,
            if(empty(uid), concat('\0', cluster_uid, '\0', node), uid) AS machine, argMax(provider, `from`) AS of_provider,
            argMax(region, `from`) AS of_region, toInt64(argMax(cpu_ppm, `from`)) * 1000 AS cpu_part,
            toInt64(argMax(gpu_ppm, `from`)) * 1000 AS gpu_part, argMax(price, `from`) AS hourly, sum(n.up) AS up,
            sum(n.cpu_there) AS cpu_there, sum(n.memory_there) AS memory_there, sum(n.gpu_there) AS gpu_there
        FROM kubernetes_node_row(days = {days:Array(Tuple(String, String, Date32))}) AS n
        WHERE node != ''
        GROUP BY org_id, cloud_account_id, day, cluster_uid, node, hour
    )
),
object_hour AS
(
    SELECT org_id, cloud_account_id, day, cluster_uid, object_kind, hour, resource_uid, max(seconds_of) AS up,
        groupArray((namespace, name, holders)) AS holds
    FROM
    (
        SELECT org_id, cloud_account_id, day, cluster_uid, kind AS object_kind, toHour(`from`) AS hour, resource_uid, namespace, name,
            sum(seconds) AS seconds_of, arraySort(groupUniqArrayArray(pods)) AS holders
        FROM kubernetes_object FINAL
        WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
        GROUP BY org_id, cloud_account_id, day, cluster_uid, object_kind, hour, resource_uid, namespace, name
        ORDER BY namespace, name
    )
    GROUP BY org_id, cloud_account_id, day, cluster_uid, object_kind, hour, resource_uid
),
reported AS
(
    SELECT org_id, cloud_account_id, day, cluster_uid, groupUniqArray(toHour(`from`)) AS reported_hours
    FROM
    (
        SELECT org_id, cloud_account_id, day, cluster_uid, `from` FROM kubernetes_node
        UNION ALL
        SELECT org_id, cloud_account_id, day, cluster_uid, `from` FROM kubernetes_object
        /*if folded*/
        UNION ALL
        SELECT org_id, cloud_account_id, day, cluster_uid, moment AS `from` FROM kubernetes_node_day ARRAY JOIN `hours.moment` AS moment
        /*end*/
    )
    WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
    GROUP BY org_id, cloud_account_id, day, cluster_uid
),
-- What is charged for clusters: machines, disks and load balancers with the seconds they were there by hour, and clusters themselves.
owner AS
(
    SELECT o.org_id AS org_id, o.cloud_account_id AS cloud_account_id, o.day AS day, o.resource_uid AS resource_uid, o.role AS role,
        o.cluster_uid AS cluster_uid, o.hours AS hours, o.ups AS ups, r.reported_hours AS reported_hours
    FROM
    (
        SELECT org_id, cloud_account_id, day, resource_uid, any(role_of) AS role, any(cluster) AS cluster_uid,
            groupArray(hour) AS hours, groupArray(up) AS ups
        FROM
        (
            SELECT org_id, cloud_account_id, day, machine AS resource_uid, 'node' AS role_of, any(cluster_uid) AS cluster, hour,
                least(sum(up), 3600) AS up
            FROM node_hour
            GROUP BY org_id, cloud_account_id, day, resource_uid, hour
            UNION ALL
            SELECT org_id, cloud_account_id, day, resource_uid, any(object_kind) AS role_of, any(cluster_uid) AS cluster, hour,
                least(max(up), 3600) AS up
            FROM object_hour
            GROUP BY org_id, cloud_account_id, day, resource_uid, hour
            UNION ALL
            SELECT org_id, cloud_account_id, day, cluster_uid AS resource_uid, 'cluster' AS role_of, cluster_uid AS cluster,
                arrayJoin(range(24)) AS hour, 3600 AS up
            FROM reported
        )
        GROUP BY org_id, cloud_account_id, day, resource_uid
    ) AS o
    LEFT ANY JOIN reported AS r
        ON r.org_id = o.org_id AND r.cloud_account_id = o.cloud_account_id AND r.day = o.day AND r.cluster_uid = o.cluster_uid
),
/*if untyped*/
inventory AS
(
    SELECT org_id, cloud_account_id, resource_uid, type
    FROM resource_state FINAL
    WHERE (org_id, cloud_account_id, resource_uid) IN (SELECT org_id, cloud_account_id, resource_uid FROM owner)
),
/*end*/
-- Lines by the hours that they are of, in units of the 14th place.
line AS
(
    SELECT x_OrgId AS org_id, x_UsageAccountId AS cloud_account_id, x_Day AS day, x_Provider AS provider,
        (toString(RegionId), if(x_UsageAccountId = x_CloudAccountId, '', toString(x_CloudAccountId)), toString(x_SubAccount)) AS region,
        ServiceName AS service_name,
        /*if untyped*/if(ResourceType = '', inventory.type, ResourceType)/*else ResourceType end*/ AS resource_type,
        x_PurchaseType AS purchase_type, ChargeCategory AS charge_category, ResourceId AS resource_uid,
        toUInt8(if(toDate32(ChargePeriodStart) < x_Day, 0, toHour(ChargePeriodStart))) AS from_hour,
        toUInt8(greatest(from_hour + 1, least(24, intDiv(dateDiff('second', toDateTime(x_Day, 'UTC'), ChargePeriodEnd) + 3599, 3600)))) AS until_hour,
        {names:Array(String)}[1 + if(empty(SkuMeter) AND empty(used_unit), 0, arrayMin(multiMatchAllIndices(
            lower(concat('<', x_Provider, '>\n<', ServiceName, ' ', ResourceType, '>\n<', SkuMeter, '>\n<', used_unit, '>')),
            {patterns:Array(String)})))] IN ('data_transfer', 'inter_az', 'nat_processing') AS is_traffic,
        sum(countIf(x_Source = 'estimate')) OVER (PARTITION BY org_id, cloud_account_id, day, provider, region, service_name, resource_type,
            purchase_type, charge_category, resource_uid) AS estimates,
        toInt256(reinterpret(sum(BilledCost), 'Int128')) AS billed, toInt256(reinterpret(sum(EffectiveCost), 'Int128')) AS effective,
        toInt256(reinterpret(sum(ContractedCost), 'Int128')) AS contracted, toInt256(reinterpret(sum(ListCost), 'Int128')) AS list
    FROM
    (
        SELECT *, if(empty(ConsumedUnit), PricingUnit, ConsumedUnit) AS used_unit
        FROM bill_row(days = {billed:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
        WHERE (x_OrgId, x_UsageAccountId, x_Day, ResourceId) IN (SELECT org_id, cloud_account_id, day, resource_uid FROM owner)
    ) AS l
    /*if untyped*/
    LEFT ANY JOIN inventory
        ON inventory.org_id = x_OrgId AND inventory.cloud_account_id = x_UsageAccountId AND inventory.resource_uid = ResourceId
    /*end*/
    /*if estimates*/
    WHERE (x_Source = 'actual' OR (x_OrgId, x_CloudAccountId, x_Day, ResourceId, if(empty(ResourceId), ServiceName, '')) NOT IN (actual))
    /*end*/
    GROUP BY org_id, cloud_account_id, day, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid,
        from_hour, until_hour, is_traffic
),
-- Each line spread over its hours. at_hour 24 is none: what is of no hour that somebody told of, and all of clusters themselves.
line_hour AS
(
    SELECT org_id, cloud_account_id, day, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid,
        cluster_uid, role, is_traffic AND is_measured AND role = 'node' AS of_traffic, estimates, toUInt8(if(is_measured AND role != 'cluster', hour_of, 24)) AS at_hour,
        billed_part + if(place = largest, billed - arraySum(billed_parts), 0) AS billed,
        effective_part + if(place = largest, effective - arraySum(effective_parts), 0) AS effective,
        contracted_part + if(place = largest, contracted - arraySum(contracted_parts), 0) AS contracted,
        list_part + if(place = largest, list - arraySum(list_parts), 0) AS list
    FROM
    (
        SELECT *, arraySum(seconds_of) AS all_seconds, indexOf(seconds_of, arrayMax(seconds_of)) AS largest,
            arrayMap(s -> intDiv(of_costs.1 * s, all_seconds), seconds_of) AS billed_parts,
            arrayMap(s -> intDiv(of_costs.2 * s, all_seconds), seconds_of) AS effective_parts,
            arrayMap(s -> intDiv(of_costs.3 * s, all_seconds), seconds_of) AS contracted_parts,
            arrayMap(s -> intDiv(of_costs.4 * s, all_seconds), seconds_of) AS list_parts
        FROM
        (
            SELECT *, if(arraySum(found) = 0, [toInt256(1)], arrayFilter(s -> s != 0, found)) AS seconds_of,
                if(arraySum(found) = 0, [24], arrayFilter((h, s) -> s != 0, past, found)) AS of_hours,
                arrayMap(h -> has(there, h), of_hours) AS measured
            FROM
            (
                SELECT *, arrayMap(h -> toInt256(multiIf(has(there, h), arrayElement(ups, indexOf(there, h)),
                    has(reported_hours, h), 0, 3600)), past) AS found
                FROM
                (
                    SELECT line.*, owner.cluster_uid AS cluster_uid, owner.role AS role, owner.hours AS there, owner.ups AS ups,
                        owner.reported_hours AS reported_hours, (line.billed, line.effective, line.contracted, line.list) AS of_costs,
                        arrayFilter(h -> addHours(toDateTime(line.day, 'UTC'), h) < {until:DateTime('UTC')}, range(from_hour, until_hour)) AS past
                    FROM line
                    INNER JOIN owner ON owner.org_id = line.org_id AND owner.cloud_account_id = line.cloud_account_id
                        AND owner.day = line.day AND owner.resource_uid = line.resource_uid
                )
            )
        )
    )
    ARRAY JOIN of_hours AS hour_of, measured AS is_measured, arrayEnumerate(of_hours) AS place, billed_parts AS billed_part,
        effective_parts AS effective_part, contracted_parts AS contracted_part, list_parts AS list_part
),
-- What costs something, what would, and what was there: estimated 0, 1 and 2; by hour, the 25th is none.
charge AS
(
    SELECT org_id, cloud_account_id, day, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid, toUInt8(0) AS estimated, cluster_uid, role, of_traffic AS is_traffic, any(estimates) AS of_estimates,
        sumResample(0, 25, 1)(toUInt64(1), at_hour) AS there, sumResample(0, 25, 1)(billed, at_hour) AS of_billed,
        sumResample(0, 25, 1)(effective, at_hour) AS of_effective, sumResample(0, 25, 1)(contracted, at_hour) AS of_contracted,
        sumResample(0, 25, 1)(list, at_hour) AS of_list
    FROM line_hour
    GROUP BY org_id, cloud_account_id, day, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid, cluster_uid, role, is_traffic
    UNION ALL
    SELECT org_id, cloud_account_id, day, of_provider AS provider, (toString(of_region), '', '') AS region, '' AS service_name, '' AS resource_type,
        'on_demand' AS purchase_type, 'Usage' AS charge_category, machine AS resource_uid, toUInt8(1) AS estimated, cluster_uid,
        'node' AS role, false AS is_traffic, toUInt64(0) AS of_estimates, sumResample(0, 25, 1)(toUInt64(1), hour) AS there,
        sumResample(0, 25, 1)(intDiv(toInt256(reinterpret(hourly, 'Int128')) * least(up, 3600), toInt256(3600)), hour) AS of_billed,
        of_billed AS of_effective, of_billed AS of_contracted, of_billed AS of_list
    FROM node_hour
    WHERE hourly > 0 AND is_first AND (org_id, cloud_account_id, day, machine) NOT IN
    (
        SELECT x_OrgId, x_UsageAccountId, x_Day, ResourceId
        FROM bill_row(days = {billed:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
        WHERE ResourceId != ''
    )
    GROUP BY org_id, cloud_account_id, day, provider, region, resource_uid, cluster_uid
    UNION ALL
    SELECT org_id, cloud_account_id, day, '' AS provider, ('', '', '') AS region, '' AS service_name, '' AS resource_type, '' AS purchase_type, '' AS charge_category,
        machine AS resource_uid, toUInt8(2) AS estimated, any(cluster_uid) AS cluster_uid, 'node' AS role, false AS is_traffic,
        toUInt64(0) AS of_estimates, arrayResize([toUInt64(1)], 25) AS there, arrayResize([toInt256(0)], 25) AS of_billed, of_billed AS of_effective,
        of_billed AS of_contracted, of_billed AS of_list
    FROM node_hour
    GROUP BY org_id, cloud_account_id, day, resource_uid
),
-- Pods by hour, one row a pod and node. What runs a pod, and its labels, are as they were told of first.
pod_day AS
(
    SELECT org_id, cloud_account_id, day, cluster_uid, node, toString(namespace) AS of_namespace, pod AS of_pod,
        toString(argMin(controller_kind, `from`)) AS of_kind, argMin(controller, `from`) AS of_controller,
        CAST(argMin(labels, `from`), 'Map(String, String)') AS of_labels,
        sumResample(0, 25, 1)(p.cpu_requested, hour) AS cpu_requested,
        sumResample(0, 25, 1)(ifNull(p.cpu_was_used, 0), hour) AS cpu_was_used,
        sumResample(0, 25, 1)(p.memory_requested, hour) AS memory_requested,
        sumResample(0, 25, 1)(ifNull(p.memory_was_used, 0), hour) AS memory_was_used,
        sumResample(0, 25, 1)(p.cpu_measured, hour) AS cpu_measured,
        sumResample(0, 25, 1)(p.memory_measured, hour) AS memory_measured,
        sumResample(0, 25, 1)(gpu_requested, hour) AS gpus,
        sumResample(0, 25, 1)(ifNull(network_bytes, 0), hour) AS bytes,
        arrayMap((r, u) -> greatest(r, u), cpu_requested, cpu_was_used) AS cpu_wanted,
        arrayMap((r, u) -> greatest(r, u), memory_requested, memory_was_used) AS memory_wanted
    FROM kubernetes_pod_row(days = {days:Array(Tuple(String, String, Date32))}) AS p
    GROUP BY org_id, cloud_account_id, day, cluster_uid, namespace, pod, node
),
node_pods AS
(
    SELECT org_id, cloud_account_id, day, cluster_uid, node,
        arraySort(x -> (x.1, x.2, x.3, x.4), groupArray((of_namespace, of_kind, of_controller, of_pod, of_labels, cpu_requested,
            cpu_was_used, cpu_wanted, memory_requested, memory_was_used, memory_wanted, gpus, bytes, cpu_measured, memory_measured))) AS pods,
        sumForEach(cpu_wanted) AS all_cpu, sumForEach(memory_wanted) AS all_memory, sumForEach(gpus) AS all_gpu,
        sumForEach(bytes) AS all_bytes
    FROM pod_day
    GROUP BY org_id, cloud_account_id, day, cluster_uid, node
),
holder AS
(
    SELECT org_id, cloud_account_id, day, cluster_uid, toString(namespace) AS namespace, pod,
        toString(argMin(controller_kind, p.`from`)) AS controller_kind, argMin(controller, p.`from`) AS controller,
        CAST(argMin(labels, p.`from`), 'Map(String, String)') AS labels
    FROM kubernetes_pod_row(days = {days:Array(Tuple(String, String, Date32))}) AS p
    WHERE (org_id, cloud_account_id, day, cluster_uid, namespace, pod) IN
    (
        SELECT org_id, cloud_account_id, day, cluster_uid, hold.1, arrayJoin(hold.3)
        FROM object_hour ARRAY JOIN holds AS hold
    )
    GROUP BY org_id, cloud_account_id, day, cluster_uid, namespace, pod
),
machine_day AS
(
    SELECT org_id, cloud_account_id, day, cluster_uid, node, machine, sumResample(0, 25, 1)(toUInt64(1), hour) AS is_there,
        sumResample(0, 25, 1)(toInt64(1000000000) * is_first, hour) AS whole,
        sumResample(0, 25, 1)(cpu_part * is_first, hour) AS cpu_scale, sumResample(0, 25, 1)(gpu_part * is_first, hour) AS gpu_scale,
        arrayMap((w, c, g) -> w - c - g, whole, cpu_scale, gpu_scale) AS memory_scale,
        sumResample(0, 25, 1)(cpu_there, hour) AS all_cpu, sumResample(0, 25, 1)(memory_there, hour) AS all_memory,
        sumResample(0, 25, 1)(gpu_there, hour) AS all_gpu
    FROM node_hour
    GROUP BY org_id, cloud_account_id, day, cluster_uid, node, machine
),
-- Who has what of the hours of a resource, in shares of a milliard: namespace, controller, pod, labels, kind, component, shares, hours
-- requested, used and allocated, and those requested of which the use was measured. `traffic` is the same of what it is charged for traffic.
share AS
(
    SELECT org_id, cloud_account_id, day, machine AS resource_uid, node,
        arrayConcat(
            arrayMap((x, w) -> (x.1, x.2, x.3, x.4, x.5, 'workload', 'cpu', w, arraySum(arrayMap((v, t) -> v * t, x.6, is_there)) / 3600000,
                arraySum(arrayMap((v, t) -> v * t, x.7, is_there)) / 3600000, arraySum(arrayMap((v, t) -> v * t, x.8, is_there)) / 3600000,
                arraySum(arrayMap((v, t) -> v * t, x.14, is_there)) / 3600000), pods, cpu_shares),
            arrayMap((x, w) -> (x.1, x.2, x.3, x.4, x.5, 'workload', 'memory', w, arraySum(arrayMap((v, t) -> v * t, x.9, is_there)) / 3774873600,
                arraySum(arrayMap((v, t) -> v * t, x.10, is_there)) / 3774873600, arraySum(arrayMap((v, t) -> v * t, x.11, is_there)) / 3774873600,
                arraySum(arrayMap((v, t) -> v * t, x.15, is_there)) / 3774873600), pods, memory_shares),
            arrayFilter(e -> e.9 != 0, arrayMap((x, w) -> (x.1, x.2, x.3, x.4, x.5, 'workload', 'gpu', w, arraySum(arrayMap((v, t) -> v * t, x.12, is_there)) / 3600000,
                toFloat64(0), arraySum(arrayMap((v, t) -> v * t, x.12, is_there)) / 3600000, toFloat64(0)), pods, gpu_shares)),
            [('', '', '', '', CAST(map(), 'Map(String, String)'), 'idle', 'cpu', arrayMap((s, w) -> s - w, cpu_scale, arrayResize(cpu_taken, 25)), toFloat64(0), toFloat64(0), toFloat64(0), toFloat64(0)),
             ('', '', '', '', CAST(map(), 'Map(String, String)'), 'idle', 'memory', arrayMap((s, w) -> s - w, memory_scale, arrayResize(memory_taken, 25)), toFloat64(0), toFloat64(0), toFloat64(0), toFloat64(0)),
             ('', '', '', '', CAST(map(), 'Map(String, String)'), 'idle', 'gpu', arrayMap((s, w) -> s - w, gpu_scale, arrayResize(gpu_taken, 25)), toFloat64(0), toFloat64(0), toFloat64(0), toFloat64(0))]) AS entries,
        arrayConcat(
            arrayMap((x, w, i) -> (x.1, x.2, x.3, x.4, x.5, 'workload', 'network',
                arrayMap((v, r, f) -> v + if(f = i, r, 0), w, traffic_rest, first_metered), toFloat64(0), toFloat64(0), toFloat64(0), toFloat64(0)), pods, traffic_shares, arrayEnumerate(pods)),
            [('', '', '', '', CAST(map(), 'Map(String, String)'), 'overhead', 'network', arrayMap((s, a) -> if(a > 0, 0, s), whole, all_traffic), toFloat64(0), toFloat64(0), toFloat64(0), toFloat64(0))]) AS traffic
    FROM
    (
        SELECT *, arrayReduce('sumForEach', cpu_shares) AS cpu_taken, arrayReduce('sumForEach', memory_shares) AS memory_taken,
            arrayReduce('sumForEach', gpu_shares) AS gpu_taken,
            arrayMap((s, w, a) -> if(a > 0, s - w, 0), whole, arrayResize(arrayReduce('sumForEach', traffic_shares), 25), all_traffic) AS traffic_rest
        FROM
        (
            SELECT *,
                arrayMap(x -> arrayMap((s, w, a) -> toInt64(intDivOrZero(s * toInt128(w), a)), cpu_scale, x.8, cpu_all), pods) AS cpu_shares,
                arrayMap(x -> arrayMap((s, w, a) -> toInt64(intDivOrZero(s * toInt128(w), a)), memory_scale, x.11, memory_all), pods) AS memory_shares,
                arrayMap(x -> arrayMap((s, w, a) -> toInt64(intDivOrZero(s * toInt128(w), a)), gpu_scale, x.12, gpu_all), pods) AS gpu_shares,
                arrayMap(x -> arrayMap((s, b, a) -> toInt64(intDivOrZero(s * toInt128(b), a)), whole, x.13, all_traffic), pods) AS traffic_shares,
                arrayReduce('minForEach', arrayMap((x, i) -> arrayMap(b -> if(b > 0, i, 4294967295), x.13), pods, arrayEnumerate(pods))) AS first_metered
            FROM
            (
                SELECT n.org_id AS org_id, n.cloud_account_id AS cloud_account_id, n.day AS day, n.machine AS machine, n.node AS node,
                    n.is_there AS is_there, n.whole AS whole, n.cpu_scale AS cpu_scale, n.memory_scale AS memory_scale, n.gpu_scale AS gpu_scale,
                    p.pods AS pods, arrayResize(p.all_bytes, 25) AS all_traffic,
                    arrayMap((t, w) -> toInt128(greatest(t, w)), n.all_cpu, arrayResize(p.all_cpu, 25)) AS cpu_all,
                    arrayMap((t, w) -> toInt128(greatest(t, w)), n.all_memory, arrayResize(p.all_memory, 25)) AS memory_all,
                    arrayMap((t, w) -> toInt128(greatest(t, w)), n.all_gpu, arrayResize(p.all_gpu, 25)) AS gpu_all
                FROM machine_day AS n
                LEFT ANY JOIN node_pods AS p ON p.org_id = n.org_id AND p.cloud_account_id = n.cloud_account_id AND p.day = n.day
                    AND p.cluster_uid = n.cluster_uid AND p.node = n.node
            )
        )
    )
),
-- The first of those who share an object takes what an even division leaves.
object_share AS
(
    SELECT org_id, cloud_account_id, day, resource_uid, groupArray((taker.1, taker.2, taker.3, taker.4, taker_labels, 'workload', taker.5, shares, toFloat64(0),
        toFloat64(0), toFloat64(0), toFloat64(0))) AS entries
    FROM
    (
        SELECT org_id, cloud_account_id, day, resource_uid, taker, any(t.6) AS taker_labels, sumResample(0, 25, 1)(
            toInt64(intDiv(1000000000, length(takers)) + if(place = 1, 1000000000 % length(takers), 0)), hour_of) AS shares
        FROM
        (
            SELECT o.org_id AS org_id, o.cloud_account_id AS cloud_account_id, o.day AS day, o.resource_uid AS resource_uid, o.hour AS hour_of,
                arraySort(x -> (x.1, x.2, x.3, x.4), groupArray(multiIf(
                    o.object_kind = 'service', (toString(o.namespace), 'service', o.name, '', 'load_balancer', CAST(map(), 'Map(String, String)')),
                    o.holder = '', (toString(o.namespace), 'persistentvolumeclaim', o.name, '', 'storage', CAST(map(), 'Map(String, String)')),
                    (toString(o.namespace), h.controller_kind, h.controller, o.holder, 'storage', h.labels)))) AS takers
            FROM
            (
                SELECT org_id, cloud_account_id, day, resource_uid, hour, cluster_uid, object_kind, hold.1 AS namespace, hold.2 AS name,
                    arrayJoin(if(empty(hold.3), [''], hold.3)) AS holder
                FROM object_hour ARRAY JOIN holds AS hold
            ) AS o
            LEFT ANY JOIN holder AS h ON h.org_id = o.org_id AND h.cloud_account_id = o.cloud_account_id AND h.day = o.day
                AND h.cluster_uid = o.cluster_uid AND h.namespace = o.namespace AND h.pod = o.holder
            GROUP BY org_id, cloud_account_id, day, resource_uid, hour_of
        )
        ARRAY JOIN takers AS t, arrayEnumerate(takers) AS place
        GROUP BY org_id, cloud_account_id, day, resource_uid, (t.1, t.2, t.3, t.4, t.5) AS taker
    )
    GROUP BY org_id, cloud_account_id, day, resource_uid
),
-- Parts before they are cut: in units of the 23rd place, the sum of a row a multiple of a milliard. What is of no hour is for nobody.
part AS
(
    SELECT c.org_id AS org_id, c.cloud_account_id AS cloud_account_id, c.day AS day, c.provider AS provider, c.region AS region,
        c.service_name AS service_name, c.resource_type AS resource_type, c.purchase_type AS purchase_type,
        c.charge_category AS charge_category, c.resource_uid AS resource_uid, c.estimated AS estimated, c.cluster_uid AS cluster_uid,
        s.node AS node, e.1 AS namespace, e.2 AS controller_kind, e.3 AS controller, e.4 AS pod, e.5 AS labels,
        if(c.estimated = 2, 'usage', e.6) AS kind, e.7 AS component, c.of_estimates AS estimates,
        arraySum(arrayMap((v, w) -> v * w, c.of_billed, e.8)) AS billed, arraySum(arrayMap((v, w) -> v * w, c.of_effective, e.8)) AS effective,
        arraySum(arrayMap((v, w) -> v * w, c.of_contracted, e.8)) AS contracted, arraySum(arrayMap((v, w) -> v * w, c.of_list, e.8)) AS list,
        if(c.estimated = 2, e.9, 0) AS requested, if(c.estimated = 2, e.10, 0) AS used, if(c.estimated = 2, e.11, 0) AS allocated,
        if(c.estimated = 2, e.12, 0) AS measured
    FROM (SELECT *, arrayJoin([0, 1]) AS is_whole FROM charge WHERE if(is_whole, there[25] > 0, arraySum(there) > there[25])) AS c
    LEFT JOIN
    (
        SELECT org_id, cloud_account_id, day, resource_uid, node, entries, traffic, 0 AS is_whole FROM share
        UNION ALL
        SELECT org_id, cloud_account_id, day, resource_uid, '' AS node, entries, entries AS traffic, 0 AS is_whole FROM object_share
    ) AS s ON s.org_id = c.org_id AND s.cloud_account_id = c.cloud_account_id AND s.day = c.day AND s.resource_uid = c.resource_uid
        AND s.is_whole = c.is_whole
    ARRAY JOIN (multiIf(
        c.is_whole, [('', '', '', '', CAST(map(), 'Map(String, String)'), if(c.role = 'cluster', 'overhead', 'unmeasured'),
            multiIf(c.role = 'cluster', 'control_plane', c.role = 'claim', 'storage', c.role = 'service', 'load_balancer', 'compute'),
            arrayMap(h -> if(h = 25, toInt64(1000000000), 0), range(1, 26)), toFloat64(0), toFloat64(0), toFloat64(0), toFloat64(0))],
        c.is_traffic, s.traffic,
        s.entries)) AS e
    WHERE if(c.estimated = 2, e.9 != 0 OR e.10 != 0, arrayExists((t, w) -> t != 0 AND w != 0, c.there, e.8))
)
SELECT org_id, day, cloud_account_id, toUInt8({slot:UInt8} + ((org_id, cloud_account_id, day) IN {behind:Array(Tuple(String, String, Date32))})) AS slot, {generation:UInt64} AS generation, provider, region.1 AS region_id, service_name,
    resource_type, purchase_type, charge_category, if(startsWith(resource_uid, '\0'), '', resource_uid) AS resource_uid, cluster_uid,
    p.1 AS node, p.2 AS namespace, p.3 AS controller_kind, p.4 AS controller, p.5 AS pod, p.6 AS kind, p.7 AS component,
    toUInt8(row_estimated = 1) AS estimated, p.8 AS labels,
    reinterpret(toInt128(intDiv(p.9, milliard) + if(place = billed_at, billed_rest, 0)), 'Decimal(38, 14)') AS billed_cost,
    reinterpret(toInt128(intDiv(p.10, milliard) + if(place = effective_at, effective_rest, 0)), 'Decimal(38, 14)') AS effective_cost,
    reinterpret(toInt128(intDiv(p.11, milliard) + if(place = contracted_at, contracted_rest, 0)), 'Decimal(38, 14)') AS contracted_cost,
    reinterpret(toInt128(intDiv(p.12, milliard) + if(place = list_at, list_rest, 0)), 'Decimal(38, 14)') AS list_cost,
    toUInt32(of_estimates) AS estimated_lines, p.13 AS requested, p.14 AS used, p.15 AS allocated, p.16 AS measured,
    region.2 AS billing_account_id, region.3 AS sub_account_id
FROM
(
    SELECT org_id, cloud_account_id, day, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid,
        estimated AS row_estimated, cluster_uid, toInt256(1000000000) AS milliard,
        arraySort(x -> (x.1, x.2, x.3, x.4, x.5, x.6, x.7), groupArray((node, namespace, controller_kind, controller, pod, kind, component,
            labels, billed, effective, contracted, list, requested, used, allocated, measured))) AS parts, any(estimates) AS of_estimates,
        arrayMap(x -> abs(x.9), parts) AS billed_sizes, indexOf(billed_sizes, arrayMax(billed_sizes)) AS billed_at,
        intDiv(arraySum(arrayMap(x -> x.9, parts)), milliard) - arraySum(arrayMap(x -> intDiv(x.9, milliard), parts)) AS billed_rest,
        arrayMap(x -> abs(x.10), parts) AS effective_sizes, indexOf(effective_sizes, arrayMax(effective_sizes)) AS effective_at,
        intDiv(arraySum(arrayMap(x -> x.10, parts)), milliard) - arraySum(arrayMap(x -> intDiv(x.10, milliard), parts)) AS effective_rest,
        arrayMap(x -> abs(x.11), parts) AS contracted_sizes, indexOf(contracted_sizes, arrayMax(contracted_sizes)) AS contracted_at,
        intDiv(arraySum(arrayMap(x -> x.11, parts)), milliard) - arraySum(arrayMap(x -> intDiv(x.11, milliard), parts)) AS contracted_rest,
        arrayMap(x -> abs(x.12), parts) AS list_sizes, indexOf(list_sizes, arrayMax(list_sizes)) AS list_at,
        intDiv(arraySum(arrayMap(x -> x.12, parts)), milliard) - arraySum(arrayMap(x -> intDiv(x.12, milliard), parts)) AS list_rest
    FROM part
    GROUP BY org_id, cloud_account_id, day, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid,
        row_estimated, cluster_uid
)
ARRAY JOIN parts AS p, arrayEnumerate(parts) AS place
