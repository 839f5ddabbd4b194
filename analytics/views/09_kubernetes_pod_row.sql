-- Pods on the days {days} (organization, account, day): one row per interval, and in place of folded intervals one per hour. Cores
-- (thousandths), memory (KiB) and accelerators (thousandths) are times seconds. An interval of a folded day that began in a minute of a
-- folded one is left out: it is in the fold, or was sent again after it. Read by the cost rollup and the retention sweep.
-- Marks: folded.
CREATE OR REPLACE VIEW kubernetes_pod_row AS
/*if folded*/
SELECT * EXCEPT (known)
FROM
(
    SELECT *, groupBitOr(began) OVER (PARTITION BY org_id, cloud_account_id, day, cluster_uid, namespace, pod, node, hour) AS known
    FROM
    (
/*end*/
        SELECT org_id, cloud_account_id, day, cluster_uid, namespace, pod, node, `from`, toHour(`from`) AS hour, toUInt64(0) AS began,
            toUInt32(seconds) AS up, controller_kind, controller, labels, toUInt64(cpu_request) * seconds AS cpu_requested,
            toUInt64(cpu_used) * seconds AS cpu_was_used, if(isNull(cpu_used), 0, toUInt64(cpu_request) * seconds) AS cpu_measured,
            memory_request * seconds AS memory_requested, memory_used * seconds AS memory_was_used,
            if(isNull(memory_used), 0, memory_request * seconds) AS memory_measured, toUInt64(gpu_request) * seconds AS gpu_requested,
            network_bytes, x_Version
        FROM kubernetes_pod FINAL
        WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
/*if folded*/
        UNION ALL
        SELECT org_id, cloud_account_id, day, cluster_uid, namespace, pod, node, first_from AS `from`, h.hour AS hour, h.began AS began,
            h.seconds AS up, controller_kind, controller, labels, h.cpu_requested AS cpu_requested, h.cpu_used AS cpu_was_used,
            h.cpu_measured AS cpu_measured, h.memory_requested AS memory_requested, h.memory_used AS memory_was_used,
            h.memory_measured AS memory_measured, h.gpu_requested AS gpu_requested, h.network_bytes AS network_bytes, x_Version
        FROM kubernetes_pod_day FINAL
        ARRAY JOIN hours AS h
        WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
    )
)
WHERE began != 0 OR NOT bitTest(known, toMinute(`from`))
/*end*/
