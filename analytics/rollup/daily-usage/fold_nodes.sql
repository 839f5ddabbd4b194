-- Folds the intervals of nodes on the days {days}, together with what is folded already, into the table {target} in the columns of
-- kubernetes_node_day. Read by the retention sweep.
INSERT INTO {target:Identifier} (org_id, cloud_account_id, day, cluster_uid, node, `hours.moment`, `hours.began`,
    `hours.seconds`, `hours.resource_uid`, `hours.provider`, `hours.region`, `hours.instance_type`, `hours.cpu_ppm`, `hours.gpu_ppm`,
    `hours.price`, `hours.cpu_there`, `hours.memory_there`, `hours.gpu_there`, x_Version)
SELECT org_id, cloud_account_id, day, cluster_uid, node, arrayMap(h -> h.1, folds), arrayMap(h -> h.2, folds), arrayMap(h -> h.3, folds),
    arrayMap(h -> h.4, folds), arrayMap(h -> h.5, folds), arrayMap(h -> h.6, folds), arrayMap(h -> h.7, folds), arrayMap(h -> h.8, folds),
    arrayMap(h -> h.9, folds), arrayMap(h -> h.10, folds), arrayMap(h -> h.11, folds), arrayMap(h -> h.12, folds),
    arrayMap(h -> h.13, folds), version
FROM
(
    SELECT org_id, cloud_account_id, day, cluster_uid, node, arraySort(h -> h.1, groupArray((moment, minutes, seconds, machine, of_provider,
        of_region, type, of_cpu_ppm, of_gpu_ppm, of_price, cpu, memory, gpu))) AS folds, max(newest) AS version
    FROM
    (
        SELECT org_id, cloud_account_id, day, cluster_uid, node, max(`from`) AS moment,
            groupBitOr(if(began = 0, bitShiftLeft(toUInt64(1), toMinute(`from`)), began)) AS minutes, sum(up) AS seconds,
            argMax(resource_uid, `from`) AS machine, argMax(provider, `from`) AS of_provider, argMax(region, `from`) AS of_region,
            argMax(instance_type, `from`) AS type, argMax(cpu_ppm, `from`) AS of_cpu_ppm, argMax(gpu_ppm, `from`) AS of_gpu_ppm,
            argMax(price, `from`) AS of_price, sum(cpu_there) AS cpu, sum(memory_there) AS memory, sum(gpu_there) AS gpu,
            max(x_Version) AS newest
        FROM kubernetes_node_row(days = {days:Array(Tuple(String, String, Date32))})
        GROUP BY org_id, cloud_account_id, day, cluster_uid, node, hour
    )
    GROUP BY org_id, cloud_account_id, day, cluster_uid, node
)
