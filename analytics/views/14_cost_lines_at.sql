-- Bill lines of one organization that reports count now, or counted at {as_of} ('' means now), for the days from {from} to {to}, both
-- included: one row per line, in US dollars, with the columns of cost_lines. For an earlier time, lines of exports are the ones of that
-- time as far as they are still stored; lines sent alone are the current ones. Lines that another bill also has are left out
-- (bill_shadow).
-- x_CloudAccountId is the usage account, as in the daily sums: the connected account of the line's sub-account, otherwise the billed
-- account. x_BilledAccountId is the billed account, x_SubAccount the sub-account as in the daily sums. x_OwnTags are the tags that count
-- for a line without a resource: a JSON object with sorted keys, empty for none.
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
