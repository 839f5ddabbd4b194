-- Days, newest first, that were computed before tags of lines without a resource were stored, and that have such lines: one row per day,
-- with the exports its sums were computed from; pods is 0.
SELECT d.org_id AS org_id, d.cloud_account_id AS cloud_account_id, toString(d.day) AS day, d.bills AS bills, toUInt64(0) AS pods
FROM cost_day AS d FINAL
WHERE d.published_at < (SELECT max(applied_at) FROM schema_migration WHERE name = '102_cost_daily_own_tags.sql')
    AND (d.org_id, d.edition) NOT IN (SELECT org_id, edition FROM cost_daily_slot WHERE own_tags != '')
    AND (d.org_id, d.cloud_account_id, d.day) IN
    (
        SELECT x_OrgId, x_CloudAccountId, x_Day FROM cost_fact WHERE empty(ResourceId) AND Tags.size0 > 0
        UNION DISTINCT
        SELECT x_OrgId, x_CloudAccountId, x_Day FROM bill_line WHERE empty(ResourceId) AND Tags.size0 > 0
    )
ORDER BY d.day DESC, org_id, cloud_account_id
LIMIT {limit:UInt32}
