-- Other values of some resource-days, from the line with the highest cost if lines differ: one row per day, account and resource. The
-- three lists are the days, accounts and resources of the rows wanted; other combinations of them may appear too. Read by GET
-- /reports/cost-history.
SELECT
    day,
    cloud_account_id,
    resource_uid,
    any(named.name) AS name,
    argMax(s.provider, billed_cost) AS provider,
    argMax(s.region, billed_cost) AS region,
    argMax(s.resource_type, billed_cost) AS resource_type,
    argMax(s.purchase_type, billed_cost) AS purchase_type
FROM cost_daily_slot AS s
LEFT ANY JOIN
(
    SELECT cloud_account_id, resource_uid, name
    FROM resource_state FINAL
    WHERE org_id = {org:String} AND cloud_account_id IN {accounts:Array(String)} AND resource_uid IN {uids:Array(String)}
) AS named ON named.cloud_account_id = s.cloud_account_id AND named.resource_uid = s.resource_uid
WHERE org_id = {org:String} AND day IN {days:Array(Date32)}
    AND cloud_account_id IN {accounts:Array(String)} AND resource_uid IN {uids:Array(String)}
    AND edition IN (SELECT edition FROM cost_day FINAL WHERE org_id = {org:String} AND day IN {days:Array(Date32)})
GROUP BY day, cloud_account_id, resource_uid
