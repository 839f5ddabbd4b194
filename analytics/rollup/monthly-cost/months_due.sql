-- Months of accounts before {before} that are worth adding up by resource and have settled: none of their days was published since
-- {quiet}, and their current state is not added up yet. One row per account and month; `slot` is the slot of the sums that count now, 0 if
-- there are none.
SELECT d.org_id AS org_id, d.cloud_account_id AS cloud_account_id, toString(d.month) AS month, d.days AS days, toString(d.digest) AS digest,
    m.slot AS slot
FROM
(
    SELECT org_id, cloud_account_id, toDate32(toStartOfMonth(day)) AS month, count() AS days, groupBitXor(edition) AS digest,
        max(published_at) AS last_at
    FROM cost_day FINAL
    WHERE day < {before:Date32}
    GROUP BY org_id, cloud_account_id, month
    HAVING days >= {days:UInt8} AND last_at < {quiet:DateTime64(3, 'UTC')}
) AS d
LEFT ANY JOIN (SELECT org_id, cloud_account_id, day, slot, days, digest FROM cost_month FINAL) AS m
    ON m.org_id = d.org_id AND m.cloud_account_id = d.cloud_account_id AND m.day = d.month
WHERE m.days != d.days OR m.digest != d.digest
ORDER BY month DESC, org_id, cloud_account_id
LIMIT {limit:UInt32}
