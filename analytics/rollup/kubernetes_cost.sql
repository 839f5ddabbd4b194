-- Divides the costs of the days {days} that are for clusters among those who used them, into slot {slot} under {generation}, from the
-- same lines as cost_daily. Hour by hour: a line is spread over those of its hours in which its machine was up (whole seconds; hours
-- of which nobody told anything of the cluster count as an hour each and are unmeasured), none later than {until}.
-- An hour of a machine is for processors, memory and accelerators as its price is; a pod has of each the greater of what it requested
-- and used, of what there is, or of the sum where that is more; the rest is idle. Shares are cut at the 9th place, for the rest;
-- costs at the 14th, and the largest part takes what is left over, so that parts add up to their line.
-- {patterns} and {names} say which lines are for traffic: they go by the bytes of pods, where those are metered, else to the cluster.
-- Machines without a line on a day are priced by the tables, and told apart as estimated.
INSERT INTO kubernetes_cost_slot
    (org_id, day, cloud_account_id, slot, generation, provider, region, service_name, resource_type, purchase_type, charge_category,
     resource_uid, cluster_uid, node, namespace, controller_kind, controller, pod, kind, component, estimated, labels,
     billed_cost, effective_cost, contracted_cost, list_cost, estimated_lines, requested, used, allocated)
WITH
/*if estimates*/
actual AS
(
    SELECT x_OrgId, x_CloudAccountId, x_Day, ResourceId, if(empty(ResourceId), ServiceName, '')
    FROM bill_row(days = {days:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
    WHERE x_Source = 'actual' AND {estimates:UInt8}
),
/*end*/
-- A node whose machine is not known is one of its own, by a name that no bill has.
node_hour AS
(
    SELECT org_id, cloud_account_id, day, cluster_uid, node, toHour(`from`) AS hour, argMax(resource_uid, `from`) AS uid,
        if(empty(uid), concat('\0', cluster_uid, '\0', node), uid) AS machine, argMax(provider, `from`) AS of_provider, argMax(region, `from`) AS of_region,
        argMax(cpu_ppm, `from`) AS cpu_part, argMax(gpu_ppm, `from`) AS gpu_part, argMax(price, `from`) AS hourly,
        sum(seconds) AS up, sum(toUInt128(cpu_millicores) * seconds) AS cpu_there, sum(toUInt128(memory_kib) * seconds) AS memory_there,
        sum(toUInt128(gpu_millis) * seconds) AS gpu_there
    FROM kubernetes_node FINAL
    WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
    GROUP BY org_id, cloud_account_id, day, cluster_uid, node, hour
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
            SELECT org_id, cloud_account_id, day, resource_uid, object_kind AS role_of, cluster_uid AS cluster, hour, least(up, 3600) AS up
            FROM object_hour
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
    SELECT x_OrgId AS org_id, x_CloudAccountId AS cloud_account_id, x_Day AS day, x_Provider AS provider, RegionId AS region,
        ServiceName AS service_name,
        /*if untyped*/if(ResourceType = '', inventory.type, ResourceType)/*else ResourceType end*/ AS resource_type,
        x_PurchaseType AS purchase_type, ChargeCategory AS charge_category, ResourceId AS resource_uid,
        toUInt8(if(toDate32(ChargePeriodStart) < x_Day, 0, toHour(ChargePeriodStart))) AS from_hour,
        toUInt8(greatest(from_hour + 1, least(24, intDiv(dateDiff('second', toDateTime(x_Day, 'UTC'), ChargePeriodEnd) + 3599, 3600)))) AS until_hour,
        {names:Array(String)}[1 + if(empty(SkuMeter) AND empty(used_unit), 0, arrayMin(multiMatchAllIndices(
            lower(concat('<', x_Provider, '>\n<', ServiceName, ' ', ResourceType, '>\n<', SkuMeter, '>\n<', used_unit, '>')),
            {patterns:Array(String)})))] IN ('data_transfer', 'inter_az', 'nat_processing') AS is_traffic,
        countIf(x_Source = 'estimate') AS estimates,
        toInt256(reinterpret(sum(BilledCost), 'Int128')) AS billed, toInt256(reinterpret(sum(EffectiveCost), 'Int128')) AS effective,
        toInt256(reinterpret(sum(ContractedCost), 'Int128')) AS contracted, toInt256(reinterpret(sum(ListCost), 'Int128')) AS list
    FROM
    (
        SELECT *, if(empty(ConsumedUnit), PricingUnit, ConsumedUnit) AS used_unit
        FROM bill_row(days = {days:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
        WHERE (x_OrgId, x_CloudAccountId, x_Day, ResourceId) IN (SELECT org_id, cloud_account_id, day, resource_uid FROM owner)
    ) AS l
    /*if untyped*/
    LEFT ANY JOIN inventory
        ON inventory.org_id = x_OrgId AND inventory.cloud_account_id = x_CloudAccountId AND inventory.resource_uid = ResourceId
    /*end*/
    /*if estimates*/
    WHERE (x_Source = 'actual' OR (x_OrgId, x_CloudAccountId, x_Day, ResourceId, if(empty(ResourceId), ServiceName, '')) NOT IN (actual))
    /*end*/
    GROUP BY org_id, cloud_account_id, day, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid,
        from_hour, until_hour, is_traffic
),
-- Each line spread over its hours. at_hour 24 is none.
line_hour AS
(
    SELECT org_id, cloud_account_id, day, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid,
        cluster_uid, role, is_traffic, estimates, at_hour, is_measured,
        billed_part + if(place = largest, billed - arraySum(billed_parts), 0) AS billed,
        effective_part + if(place = largest, effective - arraySum(effective_parts), 0) AS effective,
        contracted_part + if(place = largest, contracted - arraySum(contracted_parts), 0) AS contracted,
        list_part + if(place = largest, list - arraySum(list_parts), 0) AS list
    FROM
    (
        SELECT line.*, owner.cluster_uid AS cluster_uid, owner.role AS role,
            arrayMap(h -> toInt256(multiIf(has(owner.hours, h), arrayElement(owner.ups, indexOf(owner.hours, h)),
                has(owner.reported_hours, h), 0, 3600)), arrayFilter(
                    h -> addHours(toDateTime(line.day, 'UTC'), h) < {until:DateTime('UTC')}, range(from_hour, until_hour))) AS found,
            if(arraySum(found) = 0, [toInt256(1)], found) AS seconds_of,
            if(arraySum(found) = 0, [24], arrayFilter(
                h -> addHours(toDateTime(line.day, 'UTC'), h) < {until:DateTime('UTC')}, range(from_hour, until_hour))) AS of_hours,
            arrayMap(h -> has(owner.hours, h), of_hours) AS measured,
            arraySum(seconds_of) AS all_seconds, indexOf(seconds_of, arrayMax(seconds_of)) AS largest,
            arrayMap(s -> intDiv(line.billed * s, all_seconds), seconds_of) AS billed_parts,
            arrayMap(s -> intDiv(line.effective * s, all_seconds), seconds_of) AS effective_parts,
            arrayMap(s -> intDiv(line.contracted * s, all_seconds), seconds_of) AS contracted_parts,
            arrayMap(s -> intDiv(line.list * s, all_seconds), seconds_of) AS list_parts
        FROM line
        INNER JOIN owner ON owner.org_id = line.org_id AND owner.cloud_account_id = line.cloud_account_id AND owner.day = line.day
            AND owner.resource_uid = line.resource_uid
    )
    ARRAY JOIN of_hours AS at_hour, measured AS is_measured, arrayEnumerate(of_hours) AS place, billed_parts AS billed_part,
        effective_parts AS effective_part, contracted_parts AS contracted_part, list_parts AS list_part
),
-- What costs something in an hour, what would, and what was there: estimated 0, 1 and 2.
charge AS
(
    SELECT org_id, cloud_account_id, day, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid,
        toUInt8(0) AS estimated, cluster_uid, role, is_traffic, toUInt8(at_hour) AS at_hour, is_measured, sum(estimates) AS estimates,
        sum(billed) AS billed, sum(effective) AS effective, sum(contracted) AS contracted, sum(list) AS list
    FROM line_hour
    GROUP BY ALL
    UNION ALL
    SELECT org_id, cloud_account_id, day, of_provider AS provider, of_region AS region, '' AS service_name, '' AS resource_type,
        'on_demand' AS purchase_type, 'Usage' AS charge_category, machine AS resource_uid, toUInt8(1) AS estimated, cluster_uid,
        'node' AS role, false AS is_traffic, toUInt8(hour) AS at_hour, true AS is_measured, toUInt64(0) AS estimates,
        intDiv(toInt256(reinterpret(hourly, 'Int128')) * least(up, 3600), toInt256(3600)) AS billed, billed AS effective, billed AS contracted,
        billed AS list
    FROM node_hour
    WHERE hourly > 0 AND (org_id, cloud_account_id, day, machine) NOT IN (SELECT org_id, cloud_account_id, day, resource_uid FROM line)
    UNION ALL
    SELECT org_id, cloud_account_id, day, '' AS provider, '' AS region, '' AS service_name, '' AS resource_type, '' AS purchase_type,
        '' AS charge_category, machine AS resource_uid, toUInt8(2) AS estimated, cluster_uid, 'node' AS role, false AS is_traffic,
        toUInt8(hour) AS at_hour, true AS is_measured, toUInt64(0) AS estimates, toInt256(0) AS billed, billed AS effective,
        billed AS contracted, billed AS list
    FROM node_hour
),
pod_hour AS
(
    SELECT org_id, cloud_account_id, day, cluster_uid, node, hour,
        arraySort(x -> (x.1, x.4), groupArray((namespace, controller_kind, controller, pod, labels, cpu_requested, cpu_was_used,
            memory_requested, memory_was_used, gpus, traffic))) AS pods,
        sum(greatest(cpu_requested, cpu_was_used)) AS cpu_wanted, sum(greatest(memory_requested, memory_was_used)) AS memory_wanted,
        sum(gpus) AS gpu_wanted, sum(traffic) AS all_traffic
    FROM
    (
        SELECT org_id, cloud_account_id, day, cluster_uid, node, toHour(`from`) AS hour, toString(namespace) AS namespace, pod,
            toString(argMax(controller_kind, p.`from`)) AS controller_kind, argMax(controller, p.`from`) AS controller,
            CAST(argMax(labels, p.`from`), 'Map(String, String)') AS labels,
            sum(toUInt128(cpu_request) * seconds) AS cpu_requested, sum(toUInt128(ifNull(cpu_used, 0)) * seconds) AS cpu_was_used,
            sum(toUInt128(memory_request) * seconds) AS memory_requested, sum(toUInt128(ifNull(memory_used, 0)) * seconds) AS memory_was_used,
            sum(toUInt128(gpu_request) * seconds) AS gpus, sum(toUInt128(ifNull(network_bytes, 0))) AS traffic
        FROM (SELECT * FROM kubernetes_pod FINAL WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}) AS p
        GROUP BY org_id, cloud_account_id, day, cluster_uid, node, hour, namespace, pod
    )
    GROUP BY org_id, cloud_account_id, day, cluster_uid, node, hour
),
holder AS
(
    SELECT org_id, cloud_account_id, day, cluster_uid, toString(namespace) AS namespace, pod,
        toString(argMax(controller_kind, p.`from`)) AS controller_kind, argMax(controller, p.`from`) AS controller,
        CAST(argMax(labels, p.`from`), 'Map(String, String)') AS labels
    FROM (SELECT * FROM kubernetes_pod FINAL WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}) AS p
    WHERE (org_id, cloud_account_id, day, cluster_uid, namespace, pod) IN
    (
        SELECT org_id, cloud_account_id, day, cluster_uid, hold.1, arrayJoin(hold.3)
        FROM object_hour ARRAY JOIN holds AS hold
    )
    GROUP BY org_id, cloud_account_id, day, cluster_uid, namespace, pod
),
-- Who has what of an hour of a resource, in shares of a milliard: namespace, controller, pod, labels, kind, component, share, hours
-- requested, used and allocated. `traffic` is the same of what it is charged for traffic.
share AS
(
    SELECT n.org_id AS org_id, n.cloud_account_id AS cloud_account_id, n.day AS day, n.machine AS resource_uid, toUInt8(n.hour) AS at_hour,
        n.cluster_uid AS cluster_uid, n.node AS node,
        toUInt128(n.cpu_part) * 1000 AS cpu_scale, toUInt128(n.gpu_part) * 1000 AS gpu_scale,
        toUInt128(1000000000) - cpu_scale - gpu_scale AS memory_scale,
        greatest(n.cpu_there, p.cpu_wanted) AS cpu_all, greatest(n.memory_there, p.memory_wanted) AS memory_all,
        greatest(n.gpu_there, p.gpu_wanted) AS gpu_all,
        arrayMap(x -> toInt64(intDivOrZero(cpu_scale * greatest(x.6, x.7), cpu_all)), p.pods) AS cpu_shares,
        arrayMap(x -> toInt64(intDivOrZero(memory_scale * greatest(x.8, x.9), memory_all)), p.pods) AS memory_shares,
        arrayMap(x -> toInt64(intDivOrZero(gpu_scale * x.10, gpu_all)), p.pods) AS gpu_shares,
        arrayFilter(e -> e.8 != 0 OR e.9 != 0 OR e.10 != 0, arrayConcat(
            arrayMap((x, w) -> (x.1, x.2, x.3, x.4, x.5, 'workload', 'cpu', w, toFloat64(x.6) / 3600000, toFloat64(x.7) / 3600000,
                toFloat64(greatest(x.6, x.7)) / 3600000), p.pods, cpu_shares),
            arrayMap((x, w) -> (x.1, x.2, x.3, x.4, x.5, 'workload', 'memory', w, toFloat64(x.8) / 3774873600, toFloat64(x.9) / 3774873600,
                toFloat64(greatest(x.8, x.9)) / 3774873600), p.pods, memory_shares),
            arrayMap((x, w) -> (x.1, x.2, x.3, x.4, x.5, 'workload', 'gpu', w, toFloat64(x.10) / 3600000, toFloat64(0),
                toFloat64(x.10) / 3600000), p.pods, gpu_shares),
            [('', '', '', '', CAST(map(), 'Map(String, String)'), 'idle', 'cpu', toInt64(cpu_scale) - arraySum(cpu_shares), toFloat64(0), toFloat64(0), toFloat64(0)),
             ('', '', '', '', CAST(map(), 'Map(String, String)'), 'idle', 'memory', toInt64(memory_scale) - arraySum(memory_shares), toFloat64(0), toFloat64(0), toFloat64(0)),
             ('', '', '', '', CAST(map(), 'Map(String, String)'), 'idle', 'gpu', toInt64(gpu_scale) - arraySum(gpu_shares), toFloat64(0), toFloat64(0), toFloat64(0))]
        )) AS entries,
        arraySort(x -> (x.1, x.2, x.3, x.4), arrayFilter(x -> x.11 > 0, p.pods)) AS metered,
        arrayMap(x -> toInt64(intDiv(toUInt128(1000000000) * x.11, p.all_traffic)), metered) AS traffic_shares,
        if(p.all_traffic = 0,
            [('', '', '', '', CAST(map(), 'Map(String, String)'), 'overhead', 'network', toInt64(1000000000), toFloat64(0), toFloat64(0), toFloat64(0))],
            arrayMap((x, w, i) -> (x.1, x.2, x.3, x.4, x.5, 'workload', 'network',
                w + if(i = 1, 1000000000 - arraySum(traffic_shares), 0), toFloat64(0), toFloat64(0), toFloat64(0)),
                metered, traffic_shares, arrayEnumerate(metered))) AS traffic
    FROM node_hour AS n
    LEFT ANY JOIN pod_hour AS p ON p.org_id = n.org_id AND p.cloud_account_id = n.cloud_account_id AND p.day = n.day
        AND p.cluster_uid = n.cluster_uid AND p.node = n.node AND p.hour = n.hour
),
object_share AS
(
    SELECT org_id, cloud_account_id, day, resource_uid, at_hour, cluster_uid,
        arrayMap((x, i) -> (x.1, x.2, x.3, x.4, x.5, 'workload', if(of_kind = 'claim', 'storage', 'load_balancer'),
            toInt64(intDiv(1000000000, length(takers)) + if(i = 1, 1000000000 % length(takers), 0)), toFloat64(0), toFloat64(0), toFloat64(0)),
            arraySort(x -> (x.1, x.2, x.3, x.4), groupArray(taker)) AS takers, arrayEnumerate(takers)) AS entries
    FROM
    (
        SELECT o.org_id AS org_id, o.cloud_account_id AS cloud_account_id, o.day AS day, o.resource_uid AS resource_uid,
            toUInt8(o.hour) AS at_hour, o.cluster_uid AS cluster_uid, o.object_kind AS of_kind,
            multiIf(
                o.object_kind = 'service', (toString(o.namespace), 'service', o.name, '', CAST(map(), 'Map(String, String)')),
                o.holder = '', (toString(o.namespace), 'persistentvolumeclaim', o.name, '', CAST(map(), 'Map(String, String)')),
                (toString(o.namespace), h.controller_kind, h.controller, o.holder, h.labels)) AS taker
        FROM
        (
            SELECT org_id, cloud_account_id, day, resource_uid, hour, cluster_uid, object_kind, hold.1 AS namespace, hold.2 AS name,
                arrayJoin(if(empty(hold.3), [''], hold.3)) AS holder
            FROM object_hour ARRAY JOIN holds AS hold
        ) AS o
        LEFT ANY JOIN holder AS h ON h.org_id = o.org_id AND h.cloud_account_id = o.cloud_account_id AND h.day = o.day
            AND h.cluster_uid = o.cluster_uid AND h.namespace = o.namespace AND h.pod = o.holder
    )
    GROUP BY org_id, cloud_account_id, day, resource_uid, at_hour, cluster_uid, of_kind
),
-- Parts before they are cut: in units of the 23rd place, the sum of a row a multiple of a milliard.
part AS
(
    SELECT c.org_id AS org_id, c.cloud_account_id AS cloud_account_id, c.day AS day, c.provider AS provider, c.region AS region,
        c.service_name AS service_name, c.resource_type AS resource_type, c.purchase_type AS purchase_type,
        c.charge_category AS charge_category, c.resource_uid AS resource_uid, c.estimated AS estimated, c.cluster_uid AS cluster_uid,
        s.node AS node, e.1 AS namespace, e.2 AS controller_kind, e.3 AS controller, e.4 AS pod,
        if(c.estimated = 2, if(e.6 = 'workload', 'usage', ''), e.6) AS kind, e.7 AS component,
        any(e.5) AS labels, sum(c.estimates) AS estimates,
        sum(c.billed * e.8) AS billed, sum(c.effective * e.8) AS effective, sum(c.contracted * e.8) AS contracted, sum(c.list * e.8) AS list,
        sumIf(e.9, c.estimated = 2) AS requested, sumIf(e.10, c.estimated = 2) AS used, sumIf(e.11, c.estimated = 2) AS allocated
    FROM charge AS c
    LEFT ANY JOIN
    (
        SELECT org_id, cloud_account_id, day, resource_uid, at_hour, node, entries, traffic FROM share
        UNION ALL
        SELECT org_id, cloud_account_id, day, resource_uid, at_hour, '' AS node, entries, entries AS traffic FROM object_share
    ) AS s ON s.org_id = c.org_id AND s.cloud_account_id = c.cloud_account_id AND s.day = c.day AND s.resource_uid = c.resource_uid
        AND s.at_hour = c.at_hour
    ARRAY JOIN (multiIf(
        c.role = 'cluster',
            [('', '', '', '', CAST(map(), 'Map(String, String)'), 'overhead', 'control_plane', toInt64(1000000000), toFloat64(0), toFloat64(0), toFloat64(0))],
        NOT c.is_measured,
            [('', '', '', '', CAST(map(), 'Map(String, String)'), 'unmeasured', multiIf(c.role = 'claim', 'storage', c.role = 'service', 'load_balancer', 'compute'),
              toInt64(1000000000), toFloat64(0), toFloat64(0), toFloat64(0))],
        c.is_traffic, s.traffic,
        s.entries)) AS e
    GROUP BY org_id, cloud_account_id, day, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid,
        estimated, cluster_uid, node, namespace, controller_kind, controller, pod, kind, component
    HAVING kind != ''
)
SELECT org_id, day, cloud_account_id, {slot:UInt8} AS slot, {generation:UInt64} AS generation, provider, region, service_name,
    resource_type, purchase_type, charge_category, if(startsWith(resource_uid, '\0'), '', resource_uid) AS resource_uid, cluster_uid,
    p.1 AS node, p.2 AS namespace, p.3 AS controller_kind, p.4 AS controller, p.5 AS pod, p.6 AS kind, p.7 AS component,
    toUInt8(row_estimated = 1) AS estimated, p.8 AS labels,
    reinterpret(toInt128(intDiv(p.9, milliard) + if(place = billed_at, billed_rest, 0)), 'Decimal(38, 14)') AS billed_cost,
    reinterpret(toInt128(intDiv(p.10, milliard) + if(place = effective_at, effective_rest, 0)), 'Decimal(38, 14)') AS effective_cost,
    reinterpret(toInt128(intDiv(p.11, milliard) + if(place = contracted_at, contracted_rest, 0)), 'Decimal(38, 14)') AS contracted_cost,
    reinterpret(toInt128(intDiv(p.12, milliard) + if(place = list_at, list_rest, 0)), 'Decimal(38, 14)') AS list_cost,
    toUInt32(p.16) AS estimated_lines, p.13 AS requested, p.14 AS used, p.15 AS allocated
FROM
(
    SELECT org_id, cloud_account_id, day, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid,
        estimated AS row_estimated, cluster_uid, toInt256(1000000000) AS milliard,
        arraySort(x -> (x.1, x.2, x.3, x.4, x.5, x.6, x.7), groupArray((node, namespace, controller_kind, controller, pod, kind, component,
            labels, billed, effective, contracted, list, requested, used, allocated, estimates))) AS parts,
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
