-- Different purchases of the commitments {uids} on some days and in some accounts, at most 20 of each, oldest first: one row per purchase
-- with what it has about the term. Quantities are decimal text, empty if a line has none. Read by GET /reports/commitments.
SELECT DISTINCT
    CommitmentDiscountId AS commitment_id,
    x_CloudAccountId AS cloud_account_id,
    ChargeFrequency AS frequency,
    toString(toDate32(ChargePeriodStart)) AS starts_on,
    SkuPriceDetails AS details,
    ChargeDescription AS description,
    ifNull(toString(CommitmentDiscountQuantity), '') AS quantity,
    CommitmentDiscountUnit AS unit,
    ifNull(toString(PricingQuantity), '') AS pricing_quantity
FROM cost_lines
WHERE x_OrgId = {org:String} AND x_Day IN {days:Array(Date32)} AND x_CloudAccountId IN
    (
        SELECT arrayJoin({accounts:Array(String)})
        UNION DISTINCT
        SELECT billing_account_id
        FROM usage_daily_slot
        WHERE org_id = {org:String} AND day IN {days:Array(Date32)} AND cloud_account_id IN {accounts:Array(String)}
            AND commitment_id IN {uids:Array(String)} AND billing_account_id != ''
    )
    AND CommitmentDiscountId IN {uids:Array(String)} AND ChargeCategory = 'Purchase'
ORDER BY commitment_id, starts_on, frequency, details, description, quantity, unit, pricing_quantity, cloud_account_id
LIMIT 20 BY commitment_id
