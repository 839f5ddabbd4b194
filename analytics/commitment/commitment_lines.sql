-- What bill lines of some days and accounts have about the commitments {uids}: one row per commitment, with its current name, its region
-- if its own lines have one, and its end: `ends_at` as lines have it, `ends_on` the end of a purchase's charge period that is longer than
-- a month of bills. Empty if lines have none. Read by GET /reports/commitments.
SELECT
    CommitmentDiscountId AS commitment_id,
    argMaxIf(CommitmentDiscountName, (x_Day, x_LineId), CommitmentDiscountName != '') AS name,
    argMaxIf(CommitmentDiscountType, (x_Day, x_LineId), CommitmentDiscountType != '') AS type,
    argMaxIf(CommitmentDiscountCategory, (x_Day, x_LineId), CommitmentDiscountCategory != '') AS category,
    groupUniqArrayIf(RegionId, RegionId != '' AND (ChargeCategory = 'Purchase' OR CommitmentDiscountStatus = 'Unused')) AS regions,
    argMaxIf(end, (x_Day, x_LineId), end != '') AS ends_at,
    if(countIf(ends) = 0, '', toString(maxIf(toDate32(ChargePeriodEnd), ends))) AS ends_on
FROM
(
    SELECT *, JSONExtractString(SkuPriceDetails, 'x_CommitmentEnd') AS end,
        ChargeCategory = 'Purchase' AND dateDiff('day', ChargePeriodStart, ChargePeriodEnd) > 31 AS ends
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
        AND CommitmentDiscountId IN {uids:Array(String)}
)
GROUP BY CommitmentDiscountId
ORDER BY commitment_id
