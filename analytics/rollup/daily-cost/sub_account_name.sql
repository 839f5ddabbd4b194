-- Stores the names of sub-accounts in lines of the days {days}, with the exports {bills}.
INSERT INTO sub_account_name (org_id, provider, sub_account_id, name, day)
SELECT x_OrgId AS org_id, x_Provider AS provider, x_SubAccount AS sub_account_id, argMax(SubAccountName, (x_Day, SubAccountName)) AS name,
    max(x_Day) AS day
FROM bill_row(days = {days:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
WHERE notEmpty(x_SubAccount) AND notEmpty(SubAccountName)
GROUP BY org_id, provider, sub_account_id
