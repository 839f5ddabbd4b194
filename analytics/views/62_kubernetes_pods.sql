-- What pods requested and used: one row per pod, node and interval of at most an hour, for the seconds that the pod ran. Cores are in
-- thousandths, memory in KiB. Usage is null if not measured. In months that ended KUBERNETES_HOURS_KEEP_DAYS ago a row is of an hour, from
-- the minute of its first interval, with means over its seconds, and the controller and labels are the first of the day. Always filter by org_id and a range of days.
CREATE OR REPLACE VIEW kubernetes_pods AS
SELECT org_id, cloud_account_id, day, cluster_uid, namespace, pod, node, `from`, seconds, controller_kind, controller, labels,
    cpu_request, cpu_used, memory_request, memory_used, gpu_request, network_bytes
FROM kubernetes_pod FINAL
WHERE (org_id, cloud_account_id, day) NOT IN (SELECT org_id, cloud_account_id, day FROM kubernetes_pod_day)
UNION ALL
SELECT org_id, cloud_account_id, day, cluster_uid, namespace, pod, node, `from`, seconds, controller_kind, controller, labels,
    cpu_request, cpu_used, memory_request, memory_used, gpu_request, network_bytes
FROM
(
    SELECT *, groupBitOr(began) OVER (PARTITION BY org_id, cloud_account_id, day, cluster_uid, namespace, pod, node, toHour(`from`)) AS known
    FROM
    (
        SELECT org_id, cloud_account_id, day, cluster_uid, namespace, pod, node, `from`, seconds, controller_kind, controller, labels,
            cpu_request, cpu_used, memory_request, memory_used, gpu_request, network_bytes, toUInt64(0) AS began
        FROM kubernetes_pod FINAL
        WHERE (org_id, cloud_account_id, day) IN (SELECT org_id, cloud_account_id, day FROM kubernetes_pod_day)
        UNION ALL
        SELECT org_id, cloud_account_id, day, cluster_uid, namespace, pod, node,
            addMinutes(toDateTime(day, 'UTC'), h.hour * 60 + bitCount(bitXor(h.began, h.began - 1)) - 1) AS `from`, toUInt16(h.seconds) AS seconds,
            controller_kind, controller, labels, toUInt32(intDivOrZero(h.cpu_requested, h.seconds)) AS cpu_request,
            CAST(intDivOrZero(h.cpu_used, h.seconds), 'Nullable(UInt32)') AS cpu_used,
            intDivOrZero(h.memory_requested, h.seconds) AS memory_request, intDivOrZero(h.memory_used, h.seconds) AS memory_used,
            toUInt32(intDivOrZero(h.gpu_requested, h.seconds)) AS gpu_request, h.network_bytes AS network_bytes, h.began AS began
        FROM kubernetes_pod_day FINAL
        ARRAY JOIN hours AS h
    )
)
WHERE began != 0 OR NOT bitTest(known, toMinute(`from`))
