-- Whether anything is known of clusters of the organizations {orgs} from {from} to {to}: one row if so, none if not. Read by the rollup
-- before it looks at days.
SELECT 1 AS is_known
FROM
(
    SELECT org_id, day FROM kubernetes_node
    UNION ALL
    SELECT org_id, day FROM kubernetes_pod
    UNION ALL
    SELECT org_id, day FROM kubernetes_object
)
WHERE org_id IN {orgs:Array(String)} AND day BETWEEN {from:Date32} AND {to:Date32}
LIMIT 1
