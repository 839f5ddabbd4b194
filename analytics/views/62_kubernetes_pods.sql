-- What pods requested and used, interval by interval of at most an hour: cores in thousandths, memory in KiB, over the seconds that
-- the pod ran of it. used is null where nobody measured it. Always name org_id and a range of days.
CREATE OR REPLACE VIEW kubernetes_pods AS
SELECT org_id, cloud_account_id, day, cluster_uid, namespace, pod, node, `from`, seconds, controller_kind, controller, labels,
    cpu_request, cpu_used, memory_request, memory_used, gpu_request, network_bytes
FROM kubernetes_pod FINAL
