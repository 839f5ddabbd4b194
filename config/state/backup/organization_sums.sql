-- Billed costs of all published days in the files {slots} and {days} of a backup, by organization.
SELECT org_id, toString(sum(billed_cost)) AS billed
FROM file({slots:String}, 'RowBinaryWithNamesAndTypes')
WHERE (org_id, if(billing_account_id = '', cloud_account_id, billing_account_id), day, generation) IN
(
    SELECT org_id, cloud_account_id, day, max(generation)
    FROM file({days:String}, 'RowBinaryWithNamesAndTypes')
    GROUP BY org_id, cloud_account_id, day
)
GROUP BY org_id
ORDER BY org_id
