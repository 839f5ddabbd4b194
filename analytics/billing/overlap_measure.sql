-- Costs that no report counts because another bill also has them, of all organizations: one row with US dollars (BilledCost) and the
-- number of days of billed accounts. Read by the metrics of the service.
SELECT toFloat64(sum(billed_cost)) AS usd, toFloat64(uniqExact(org_id, cloud_account_id, day)) AS days
FROM bill_shadow FINAL
WHERE lines > 0
