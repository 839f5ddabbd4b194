-- Folds the intervals of pods on the days {days}, together with what is folded already, into the table {target} in the columns of
-- kubernetes_pod_day. Read by the retention sweep.
INSERT INTO {target:Identifier} (org_id, cloud_account_id, day, cluster_uid, namespace, pod, node, first_from, controller_kind, controller,
    labels, `hours.hour`, `hours.began`, `hours.seconds`, `hours.cpu_requested`, `hours.cpu_used`, `hours.cpu_measured`,
    `hours.memory_requested`, `hours.memory_used`, `hours.memory_measured`, `hours.gpu_requested`, `hours.network_bytes`, x_Version)
SELECT org_id, cloud_account_id, day, cluster_uid, namespace, pod, node, began_at, kind, name, tags, arrayMap(h -> h.1, folds),
    arrayMap(h -> h.2, folds), arrayMap(h -> h.3, folds), arrayMap(h -> h.4, folds), arrayMap(h -> h.5, folds), arrayMap(h -> h.6, folds),
    arrayMap(h -> h.7, folds), arrayMap(h -> h.8, folds), arrayMap(h -> h.9, folds), arrayMap(h -> h.10, folds),
    arrayMap(h -> h.11, folds), version
FROM
(
    SELECT org_id, cloud_account_id, day, cluster_uid, namespace, pod, node, min(first) AS began_at, argMin(kind_of, first) AS kind,
        argMin(name_of, first) AS name, argMin(tags_of, first) AS tags, arraySort(h -> h.1, groupArray((hour, minutes, seconds, cpu, used_cpu,
        measured_cpu, memory, used_memory, measured_memory, gpus, bytes))) AS folds, max(newest) AS version
    FROM
    (
        SELECT org_id, cloud_account_id, day, cluster_uid, namespace, pod, node, hour, min(`from`) AS first,
            argMin(controller_kind, `from`) AS kind_of, argMin(controller, `from`) AS name_of, argMin(labels, `from`) AS tags_of,
            groupBitOr(if(began = 0, bitShiftLeft(toUInt64(1), toMinute(`from`)), began)) AS minutes, sum(up) AS seconds,
            sum(cpu_requested) AS cpu, sum(cpu_was_used) AS used_cpu, sum(cpu_measured) AS measured_cpu, sum(memory_requested) AS memory,
            sum(memory_was_used) AS used_memory, sum(memory_measured) AS measured_memory, sum(gpu_requested) AS gpus,
            sum(network_bytes) AS bytes, max(x_Version) AS newest
        FROM kubernetes_pod_row(days = {days:Array(Tuple(String, String, Date32))})
        GROUP BY org_id, cloud_account_id, day, cluster_uid, namespace, pod, node, hour
    )
    GROUP BY org_id, cloud_account_id, day, cluster_uid, namespace, pod, node
)
