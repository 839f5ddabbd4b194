-- What the newest bill that names them calls the sub-accounts {ids}. Two providers may use one id: the newest name counts.
SELECT sub_account_id, argMax(name, (day, name)) AS name
FROM sub_account_name FINAL
WHERE org_id = {org:String} AND sub_account_id IN {ids:Array(String)}
GROUP BY sub_account_id
ORDER BY sub_account_id
