-- The other account than {account} that has lines of most of the billing accounts {names} from {from} to {to}, and of how many of them:
-- one row at most. Read by the check for a bill under a second account.
SELECT x_CloudAccountId AS cloud_account_id, toUInt32(uniqExact(BillingAccountId)) AS names
FROM cost_lines
WHERE x_OrgId = {org:String} AND x_Day BETWEEN {from:Date32} AND {to:Date32} AND BillingAccountId IN {names:Array(String)}
    AND x_CloudAccountId != {account:String}
GROUP BY cloud_account_id
ORDER BY names DESC, cloud_account_id
LIMIT 1
