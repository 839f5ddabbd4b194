-- Records under {generation} which lines of the days {days} are left out of their sums, with the exports {bills}: {shadowed} are
-- (organization, billed account, day, usage account), and {counted}, by position, the accounts in whose bills they count. Lines that were
-- left out before and count again are recorded with 0 lines.
-- Marks: shadowed.
INSERT INTO bill_shadow
    (org_id, cloud_account_id, day, usage_account_id, sub_account_id, counted_in, lines, billed_cost, effective_cost, generation)
SELECT org_id, cloud_account_id, day, usage_account_id, sub_account_id, max(of.1), sum(of.2), sum(of.3), sum(of.4),
    {generation:UInt64} AS generation
FROM
(
    /*if shadowed*/
    SELECT toString(x_OrgId) AS org_id, toString(x_CloudAccountId) AS cloud_account_id, x_Day AS day,
        toString(x_UsageAccountId) AS usage_account_id, toString(x_SubAccount) AS sub_account_id,
        ({counted:Array(Array(String))}[indexOf({shadowed:Array(Tuple(String, String, Date32, String))},
            (org_id, cloud_account_id, day, usage_account_id))], toUInt64(1), BilledCost, EffectiveCost) AS of
    FROM bill_row(/*without leaving*/days = {days:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
    WHERE (x_OrgId, x_CloudAccountId, x_Day, x_UsageAccountId) IN {shadowed:Array(Tuple(String, String, Date32, String))}
    UNION ALL
    /*end*/
    SELECT toString(org_id) AS org_id, cloud_account_id, day, usage_account_id, sub_account_id,
        (emptyArrayString(), toUInt64(0), toDecimal128(0, 14), toDecimal128(0, 14)) AS of
    FROM bill_shadow FINAL
    WHERE lines > 0 AND (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
)
GROUP BY org_id, cloud_account_id, day, usage_account_id, sub_account_id
