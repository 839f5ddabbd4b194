-- What pods requested and used: one row per pod, node and interval of at most an hour, for the seconds that the pod ran. Cores are in
-- thousandths, memory in KiB. Usage is null if not measured. Always filter by org_id and a range of days.
CREATE OR REPLACE VIEW kubernetes_pods AS
SELECT org_id, cloud_account_id, day, cluster_uid, namespace, pod, node, `from`, seconds, controller_kind, controller, labels,
    cpu_request, cpu_used, memory_request, memory_used, gpu_request, network_bytes
FROM kubernetes_pod FINAL
