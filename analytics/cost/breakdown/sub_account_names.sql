-- Names of the sub-accounts {ids} in the newest bill that has one: one row per sub-account. If two providers use one ID, the newest name
-- counts. Read by reports that show sub-accounts.
SELECT sub_account_id, argMax(name, (day, name)) AS name
FROM sub_account_name FINAL
WHERE org_id = {org:String} AND sub_account_id IN {ids:Array(String)}
GROUP BY sub_account_id
ORDER BY sub_account_id
