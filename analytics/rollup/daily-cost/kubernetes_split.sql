-- Writes the pods that bills name (split cost allocation data of EKS) on the days {days} of usage accounts into slot {slot} (days of
-- {behind} into the next one), under {generation}: each row of cost_daily whose resource is a pod becomes one whole workload row. Lines
-- are from {billed}, as in kubernetes_cost. Tags that AWS sets name the workload; all others are labels. The usage type of a row gives its
-- component, compute if there is none.
-- Marks: estimates, untyped.
INSERT INTO kubernetes_cost_slot
    (org_id, day, cloud_account_id, slot, generation, provider, region, service_name, resource_type, purchase_type, charge_category,
     resource_uid, cluster_uid, node, namespace, controller_kind, controller, pod, kind, component, estimated, labels,
     billed_cost, effective_cost, contracted_cost, list_cost, estimated_lines, requested, used, allocated, measured,
     billing_account_id, sub_account_id)
WITH
/*if estimates*/
actual AS
(
    SELECT x_OrgId, x_CloudAccountId, x_Day, ResourceId
    FROM bill_row(days = {billed:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
    WHERE x_Source = 'actual' AND x_IsPod AND {estimates:UInt8}
),
/*end*/
/*if untyped*/
inventory AS
(
    SELECT org_id, cloud_account_id, resource_uid, type
    FROM resource_state FINAL
    WHERE (org_id, cloud_account_id) IN arrayMap(d -> (d.1, d.2), {days:Array(Tuple(String, String, Date32))})
        AND resource_uid LIKE 'arn:aws%:pod/%'
),
/*end*/
line AS
(
    SELECT *, splitByChar('/', ResourceId) AS path,
        mapFilter((k, v) -> match(k, '^aws[_:]eks[_:]'), Tags) AS named,
        mapApply((k, v) -> (replaceRegexpOne(replaceAll(k, '_', '-'), '^aws[-:]eks[-:]', ''), v), named) AS of_pod
    FROM bill_row(days = {billed:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
    WHERE x_IsPod AND (x_OrgId, x_UsageAccountId, x_Day) IN {days:Array(Tuple(String, String, Date32))}
        /*if estimates*/AND (x_Source = 'actual' OR (x_OrgId, x_CloudAccountId, x_Day, ResourceId) NOT IN (actual))/*end*/
)
SELECT x_OrgId AS org_id, x_Day AS day, x_UsageAccountId AS cloud_account_id,
    toUInt8({slot:UInt8} + ((org_id, cloud_account_id, day) IN {behind:Array(Tuple(String, String, Date32))})) AS slot,
    {generation:UInt64} AS generation, x_Provider AS provider, RegionId AS region, ServiceName AS service_name,
    /*if untyped*/if(ResourceType = '', inventory.type, ResourceType)/*else ResourceType end*/ AS resource_type,
    x_PurchaseType AS purchase_type, ChargeCategory AS charge_category, ResourceId AS resource_uid,
    concat(replaceOne(path[1], ':pod', ':cluster'), '/', path[2]) AS cluster_uid,
    max(of_pod['node']) AS node, path[3] AS namespace,
    lower(max(of_pod['workload-type'])) AS controller_kind, max(of_pod['workload-name']) AS controller, path[4] AS pod,
    'workload' AS kind,
    multiIf(SkuMeter ILIKE '%vcpu%', 'cpu', match(SkuMeter, '(?i)gpu|accelerator|neuron'), 'gpu', SkuMeter ILIKE '%gb%', 'memory', 'compute') AS component,
    0 AS estimated,
    max(mapFilter((k, v) -> NOT mapContains(named, k) AND v != '', Tags)) AS labels,
    sum(BilledCost) AS billed_cost, sum(EffectiveCost) AS effective_cost, sum(ContractedCost) AS contracted_cost, sum(ListCost) AS list_cost,
    countIf(x_Source = 'estimate') AS estimated_lines, 0 AS requested, 0 AS used, 0 AS allocated, 0 AS measured,
    if(cloud_account_id = x_CloudAccountId, '', x_CloudAccountId) AS billing_account_id, x_SubAccount AS sub_account_id
FROM line
/*if untyped*/
LEFT ANY JOIN inventory
    ON inventory.org_id = x_OrgId AND inventory.cloud_account_id = x_UsageAccountId AND inventory.resource_uid = ResourceId
/*end*/
GROUP BY org_id, day, cloud_account_id, x_CloudAccountId, provider, region, service_name, resource_type, purchase_type, charge_category,
    resource_uid, path, component, sub_account_id
