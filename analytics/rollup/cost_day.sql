-- What a recomputation of the days {days} finds: the slot that is read now, how many lines there are to read, and whether
-- there are estimates, and lines that name a resource but not its type. Lines count superseded ones too.
SELECT
    cloud_account_id,
    day,
    max(published) AS published,
    sum(lines) AS lines,
    max(estimates) AS estimates,
    max(untyped) AS untyped
FROM
(
    SELECT cloud_account_id, day, slot AS published, 0 AS lines, 0 AS estimates, 0 AS untyped
    FROM cost_day FINAL
    WHERE org_id = {org:String} AND (cloud_account_id, day) IN {days:Array(Tuple(String, Date32))}
    UNION ALL
    SELECT
        x_CloudAccountId AS cloud_account_id,
        x_Day AS day,
        -1 AS published,
        count() AS lines,
        max(x_Source = 'estimate') AS estimates,
        max(ResourceType = '' AND notEmpty(ResourceId)) AS untyped
    FROM cost_fact
    WHERE x_OrgId = {org:String} AND (x_CloudAccountId, x_Day) IN {days:Array(Tuple(String, Date32))}
    GROUP BY cloud_account_id, day
)
GROUP BY cloud_account_id, day
