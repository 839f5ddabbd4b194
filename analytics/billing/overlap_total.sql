-- Costs that no report counts because another bill also has them: one row per organization, billed account and month, largest first, in US
-- dollars. Read by `tidemark doctor`.
SELECT org_id, cloud_account_id, formatDateTime(day, '%Y-%m') AS month, arraySort(groupUniqArrayArray(counted_in)) AS counted,
    toString(sum(billed_cost)) AS left_out_usd
FROM bill_shadow FINAL
WHERE lines > 0
GROUP BY org_id, cloud_account_id, month
ORDER BY sum(billed_cost) DESC, org_id, cloud_account_id, month
LIMIT {limit:UInt32}
