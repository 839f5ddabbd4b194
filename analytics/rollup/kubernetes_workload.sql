-- Adds up the parts of the days {days} that kubernetes_cost has written into slot {slot} under {generation}, by workload.
INSERT INTO kubernetes_workload_slot
    (org_id, day, cloud_account_id, slot, generation, cluster_uid, namespace, controller_kind, controller, kind, component, estimated,
     labels_id, labels, billed_cost, effective_cost, contracted_cost, list_cost, requested, used, allocated, measured, pods)
SELECT org_id, day, cloud_account_id, {slot:UInt8} AS slot, {generation:UInt64} AS generation, cluster_uid, namespace, controller_kind,
    controller, if(kind = 'usage', 'workload', kind) AS kind_of, component, estimated,
    sipHash64(arraySort(arrayZip(mapKeys(common), mapValues(common)))) AS labels_id, any(common) AS labels,
    sum(billed_cost), sum(effective_cost), sum(contracted_cost), sum(list_cost), sum(requested), sum(used), sum(allocated),
    sum(measured),
    uniqExactIf(pod, pod != '') AS pods
FROM
(
    SELECT *, mapFilter((k, v) -> k NOT IN ('pod-template-hash', 'controller-revision-hash', 'statefulset.kubernetes.io/pod-name',
        'apps.kubernetes.io/pod-index', 'batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name', 'controller-uid', 'job-name',
        'pod-template-generation', 'batch.kubernetes.io/job-completion-index'), labels) AS common
    FROM kubernetes_cost_slot
    WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))} AND slot = {slot:UInt8}
        AND generation = {generation:UInt64}
)
GROUP BY org_id, day, cloud_account_id, cluster_uid, namespace, controller_kind, controller, kind_of, component, estimated, labels_id
