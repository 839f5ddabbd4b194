-- Whether the organizations {orgs} have data about clusters from {from} to {to}: one row if so, otherwise none. The rollup reads it before
-- it plans days.
SELECT 1 AS is_known
FROM
(
    SELECT org_id, day FROM kubernetes_node
    UNION ALL
    SELECT org_id, day FROM kubernetes_pod
    UNION ALL
    SELECT org_id, day FROM kubernetes_object
    UNION ALL
    SELECT org_id, day FROM kubernetes_node_day
    UNION ALL
    SELECT org_id, day FROM kubernetes_pod_day
)
WHERE org_id IN {orgs:Array(String)} AND day BETWEEN {from:Date32} AND {to:Date32}
LIMIT 1
