-- Nodes on the days {days} (organization, account, day): one row per interval, and in place of folded intervals one per hour, with sums
-- over seconds of what was there. An interval of a folded day that began in a minute of a folded one is left out: it is in the fold, or was
-- sent again after it. Read by the cost rollup and the retention sweep.
-- Marks: folded.
CREATE OR REPLACE VIEW kubernetes_node_row AS
/*if folded*/
SELECT * EXCEPT (known)
FROM
(
    SELECT *, groupBitOr(began) OVER (PARTITION BY org_id, cloud_account_id, day, cluster_uid, node, hour) AS known
    FROM
    (
/*end*/
        SELECT org_id, cloud_account_id, day, cluster_uid, node, `from`, toHour(`from`) AS hour, toUInt64(0) AS began, toUInt32(seconds) AS up,
            resource_uid, provider, region, instance_type, cpu_ppm, gpu_ppm, price, toUInt64(cpu_millicores) * seconds AS cpu_there,
            memory_kib * seconds AS memory_there, toUInt64(gpu_millis) * seconds AS gpu_there, x_Version
        FROM kubernetes_node FINAL
        WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
/*if folded*/
        UNION ALL
        SELECT org_id, cloud_account_id, day, cluster_uid, node, h.moment AS `from`, toHour(h.moment) AS hour, h.began AS began, h.seconds AS up,
            h.resource_uid AS resource_uid, h.provider AS provider, h.region AS region, h.instance_type AS instance_type, h.cpu_ppm AS cpu_ppm,
            h.gpu_ppm AS gpu_ppm, h.price AS price, h.cpu_there AS cpu_there, h.memory_there AS memory_there, h.gpu_there AS gpu_there, x_Version
        FROM kubernetes_node_day FINAL
        ARRAY JOIN hours AS h
        WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
    )
)
WHERE began != 0 OR NOT bitTest(known, toMinute(`from`))
/*end*/
