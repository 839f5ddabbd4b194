-- The lines of one organization on the days from {from} to {to} that reports count now, or counted at {as_of} ('' for now): cost_lines
-- for a range that is known. Of an earlier time, lines of exports are those of then as far as they stand; lines sent alone are
-- those of now. x_OwnTags are the tags that count where a line names no resource: JSON of an object whose keys are sorted, empty for none.
-- Lines that another bill has too are left out (bill_shadow).
-- x_CloudAccountId is the usage account here, as in the sums of the day: the connected account that the sub-account of the line is, else the
-- one that was billed, which is x_BilledAccountId. x_SubAccount is its sub-account as the sums of
-- the day know it.
CREATE OR REPLACE VIEW cost_lines_at AS
SELECT line.* EXCEPT (x_Deleted, x_Version, x_Lone, actual),
    if(usage.account = '', x_BilledAccountId, usage.account) AS x_CloudAccountId,
    toString(usage.sub_account_id) AS x_SubAccount,
    if(empty(ResourceId) AND Tags.size0 > 0, toJSONString(mapSort(mapFilter((k, v) -> v != '', Tags))), '') AS x_OwnTags
FROM
(
    SELECT
        * EXCEPT x_CloudAccountId,
        x_CloudAccountId AS x_BilledAccountId,
        max(x_Source = 'actual') OVER
        (
            PARTITION BY x_CloudAccountId, x_Day, ResourceId, if(empty(ResourceId), ServiceName, '')
        ) AS actual
    FROM cost_row
    WHERE x_OrgId = {org:String} AND x_Day BETWEEN {from:Date32} AND {to:Date32}
        AND (x_CloudAccountId, x_Day, multiIf(
                x_Provider = 'azure', lowerUTF8(replaceRegexpOne(SubAccountId, '^/subscriptions/', '')),
                x_Provider = 'aws' AND length(SubAccountId) < 12 AND match(SubAccountId, '^[0-9]+$'), leftPad(SubAccountId, 12, '0'),
                SubAccountId)) NOT IN
        (
            SELECT cloud_account_id, day, sub_account_id
            FROM bill_shadow FINAL
            WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND lines > 0
        )
        AND
        (
            x_ExportId = ''
                AND (x_Lone = 1 OR (x_CloudAccountId, x_Day, formatDateTime(ifNull(toDate32(BillingPeriodStart), x_Day), '%Y-%m')) NOT IN
                (
                    SELECT cloud_account_id, day, period
                    FROM bill_at(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String})
                ))
            OR x_ExportId != ''
                AND (x_CloudAccountId, x_Day, x_BillingPeriod, x_ExportId) IN
                (
                    SELECT cloud_account_id, day, period, export
                    FROM bill_at(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String})
                )
        )
) AS line
LEFT ANY JOIN
(
    SELECT DISTINCT day, if(billing_account_id = '', cloud_account_id, billing_account_id) AS biller, provider, sub_account_id,
        cloud_account_id AS account
    FROM cost_service_daily_slot
    WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND sub_account_id != '' AND edition IN
    (
        SELECT if({as_of:String} = '' OR published_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC'), edition, before_edition)
        FROM cost_day FINAL
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    )
) AS usage ON usage.day = x_Day AND usage.biller = x_BilledAccountId AND usage.provider = x_Provider AND usage.sub_account_id = multiIf(
        x_Provider = 'azure', lowerUTF8(replaceRegexpOne(SubAccountId, '^/subscriptions/', '')),
        x_Provider = 'aws' AND length(SubAccountId) < 12 AND match(SubAccountId, '^[0-9]+$'), leftPad(SubAccountId, 12, '0'),
        SubAccountId)
WHERE x_Source = 'actual' OR actual = 0
