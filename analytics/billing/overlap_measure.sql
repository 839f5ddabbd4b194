-- How much no report counts because another bill has it too, over all organizations: US dollars (BilledCost), and days of accounts that were billed.
SELECT toFloat64(sum(billed_cost)) AS usd, toFloat64(uniqExact(org_id, cloud_account_id, day)) AS days
FROM bill_shadow FINAL
WHERE lines > 0
