-- Whether usage of clusters on any of the days {days} is folded by day: one row if so, otherwise none. The rollup reads it before it divides
-- their costs: intervals stay for hours after their fold, so what it says is true for long enough.
SELECT 1 AS is_folded
FROM
(
    SELECT org_id, cloud_account_id, day FROM kubernetes_node_day
    UNION ALL
    SELECT org_id, cloud_account_id, day FROM kubernetes_pod_day
)
WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
LIMIT 1
