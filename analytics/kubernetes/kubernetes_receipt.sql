-- Parts of bills in the cost of a part of a cluster: one row per day, account, resource, service, region, purchase type, charge category,
-- kind, component, node and pod, with its share of the sum of bill lines. line_usd is the whole sum in US dollars. An empty {namespace},
-- {controller} (kind/name), {pod} or {kinds} means all. Read by GET /reports/kubernetes/receipt.
-- Marks: accounts, scoped.
SELECT day, cloud_account_id, resource_uid, provider, service_name, region, purchase_type, charge_category, kind, component, node,
    namespace, controller_kind, controller, pod, estimated, cost_usd, line_usd, count() OVER () AS total, sum(cost_usd) OVER () AS total_usd
FROM
(
    SELECT *, {cost:Identifier} AS cost_usd,
        sum({cost:Identifier}) OVER (PARTITION BY day, cloud_account_id, provider, region, service_name, resource_type, purchase_type,
            charge_category, resource_uid, estimated) AS line_usd
    FROM kubernetes_cost_slot
    WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND kind != 'usage' AND cluster_uid = {cluster:String}
        AND edition IN
        (
            SELECT edition FROM cost_day FINAL
            WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        )
        /*if accounts*/AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})/*end*/
        /*if scoped*/AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)})/*end*/
)
WHERE ({namespace:String} = '' OR namespace = {namespace:String})
    AND ({controller:String} = '' OR concat(controller_kind, '/', controller) = {controller:String})
    AND ({pod:String} = '' OR pod = {pod:String})
    AND (empty({kinds:Array(String)}) OR kind IN {kinds:Array(String)})
ORDER BY day, cost_usd DESC, cloud_account_id, resource_uid, service_name, region, purchase_type, charge_category, kind, component, node,
    namespace, controller_kind, controller, pod
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
