-- The lines of one organization on the days from {from} to {to} that reports count now, or counted at {as_of} ('' for now): cost_lines
-- for a range that is known. Of an earlier time, lines of exports are those of then as far as they stand; lines sent alone are
-- those of now. x_OwnTags are the tags that count where a line names no resource: JSON of an object whose keys are sorted, empty for none.
CREATE OR REPLACE VIEW cost_lines_at AS
SELECT * EXCEPT (x_Deleted, x_Version, x_Lone, actual),
    if(empty(ResourceId) AND Tags.size0 > 0, toJSONString(mapSort(mapFilter((k, v) -> v != '', Tags))), '') AS x_OwnTags
FROM
(
    SELECT
        *,
        max(x_Source = 'actual') OVER
        (
            PARTITION BY x_CloudAccountId, x_Day, ResourceId, if(empty(ResourceId), ServiceName, '')
        ) AS actual
    FROM cost_row
    WHERE x_OrgId = {org:String} AND x_Day BETWEEN {from:Date32} AND {to:Date32}
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
)
WHERE x_Source = 'actual' OR actual = 0
