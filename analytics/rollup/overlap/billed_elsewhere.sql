-- Days from {from} to {to} on which sums of the organizations {orgs}, of any generation, come from the bill of another account, or on which
-- lines are left out because two bills have them. Only on these days can the same charge be counted twice.
SELECT DISTINCT org_id, toString(s.day) AS day
FROM cost_service_daily_slot AS s
WHERE org_id IN {orgs:Array(String)} AND s.day BETWEEN {from:Date32} AND {to:Date32} AND billing_account_id != ''
UNION DISTINCT
SELECT org_id, toString(b.day) AS day
FROM bill_shadow AS b
WHERE org_id IN {orgs:Array(String)} AND b.day BETWEEN {from:Date32} AND {to:Date32} AND lines > 0
