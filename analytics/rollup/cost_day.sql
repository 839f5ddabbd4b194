-- What a recomputation of the days {days} finds: the slot that is read now, how many lines there are to read, and whether
-- there are estimates, and lines that name a resource but not its type. Lines count superseded ones too.
SELECT
    org_id,
    cloud_account_id,
    day,
    max(published) AS published,
    sum(lines) AS lines,
    max(estimates) AS estimates,
    max(untyped) AS untyped
FROM
(
    SELECT org_id, cloud_account_id, day, slot AS published, 0 AS lines, 0 AS estimates, 0 AS untyped
    FROM cost_day FINAL
    WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
    UNION ALL
    SELECT
        x_OrgId AS org_id,
        x_CloudAccountId AS cloud_account_id,
        x_Day AS day,
        -1 AS published,
        count() AS lines,
        max(x_Source = 'estimate') AS estimates,
        max(ResourceType = '' AND notEmpty(ResourceId)) AS untyped
    FROM cost_fact
    WHERE (x_OrgId, x_CloudAccountId, x_Day) IN {days:Array(Tuple(String, String, Date32))}
    GROUP BY org_id, cloud_account_id, day
)
GROUP BY org_id, cloud_account_id, day
