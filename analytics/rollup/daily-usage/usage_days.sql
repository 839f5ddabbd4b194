-- Days with intervals or folds in a month ({month}, YYYYMM) of the tables {table} and {folds}, with the number of rows: one row per
-- organization, account and day. Read by the retention sweep.
SELECT org_id, cloud_account_id, toString(day) AS day, count() AS lines
FROM
(
    SELECT org_id, cloud_account_id, day FROM {table:Identifier} WHERE _partition_id = {month:String}
    UNION ALL
    SELECT org_id, cloud_account_id, day FROM {folds:Identifier} WHERE _partition_id = {month:String}
)
GROUP BY org_id, cloud_account_id, day
