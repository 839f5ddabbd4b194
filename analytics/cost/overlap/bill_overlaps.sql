-- Sub-accounts that bills of several accounts have charges of on the same day, from {from} to {to}: one row per month, billed account and
-- sub-account, with the cost in US dollars that reports count and the cost they leave out because another bill has it (bill_shadow). Days
-- on which only one bill has charges of the sub-account are not included. {scoped} 1 keeps only those about accounts that the reader may
-- see. Read by GET /reports/bill-overlaps.
SELECT sub_account_id, usage_account_id, formatDateTime(day, '%Y-%m') AS month, biller AS cloud_account_id, toUInt32(uniqExact(day)) AS days,
    sum(lines) AS all_lines, sum(cost) AS cost_usd, sum(left_lines) AS lines_left_out, sum(left_cost) AS left_out_usd
FROM
(
    SELECT *, uniqExact(biller) OVER (PARTITION BY sub_account_id, day) AS billers
    FROM
    (
        SELECT sub_account_id, toString(s.cloud_account_id) AS usage_account_id, day,
            toString(if(billing_account_id = '', s.cloud_account_id, billing_account_id)) AS biller,
            sum(s.lines) AS lines, sum(billed_cost) AS cost, toUInt64(0) AS left_lines, toDecimal128(0, 14) AS left_cost
        FROM cost_service_daily_slot AS s
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND sub_account_id != '' AND s.lines > s.estimated_lines
            AND edition IN (SELECT edition FROM cost_day FINAL WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32})
        GROUP BY sub_account_id, usage_account_id, day, biller
        UNION ALL
        SELECT sub_account_id, usage_account_id, day, cloud_account_id AS biller, toUInt64(0), toDecimal128(0, 14), lines, billed_cost
        FROM bill_shadow FINAL
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND lines > 0
    )
)
WHERE billers > 1 AND ({scoped:UInt8} = 0 OR usage_account_id IN {scope_accounts:Array(String)})
GROUP BY sub_account_id, usage_account_id, month, cloud_account_id
ORDER BY month DESC, sub_account_id, cloud_account_id
LIMIT {limit:UInt32}
