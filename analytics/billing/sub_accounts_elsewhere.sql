-- The other account than {account} that was billed for most of the sub-accounts {names} from {from} to {to}, and for how many of them: one
-- row at most. The sub-account that {account} itself is does not count: its own bill and that of its payer have the same charges, and one
-- of them counts. Read by the check for a bill under a second account.
SELECT biller AS cloud_account_id, toUInt32(uniqExact(name)) AS names
FROM
(
    SELECT toString(if(billing_account_id = '', cloud_account_id, billing_account_id)) AS biller, toString(sub_account_id) AS name
    FROM cost_service_daily_slot
    WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND sub_account_id IN {names:Array(String)} AND lines > estimated_lines
        AND edition IN (SELECT edition FROM cost_day FINAL WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32})
    UNION ALL
    SELECT cloud_account_id AS biller, sub_account_id AS name
    FROM bill_shadow FINAL
    WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND sub_account_id IN {names:Array(String)} AND lines > 0
)
WHERE biller != {account:String}
    AND name NOT IN (SELECT external_id FROM account_state FINAL WHERE org_id = {org:String} AND cloud_account_id = {account:String} AND removed = 0)
GROUP BY biller
ORDER BY names DESC, biller
LIMIT 1
