-- Editions of cost_daily_slot that make up the days from {from} to {to}, both included: one row per day and edition. A month that was
-- added up counts as one edition on its first day, if its days in the range are exactly the days it was added up from; otherwise each day
-- has its own. Only for queries that do not distinguish days within a month. Read by cost_at and resource_sums.
CREATE OR REPLACE VIEW month_editions AS
SELECT part.1 AS day, part.2 AS edition
FROM
(
    SELECT arrayJoin(if(m.days = d.days AND m.digest = d.digest, [(m.day, m.edition)], d.parts)) AS part
    FROM
    (
        SELECT cloud_account_id, toDate32(toStartOfMonth(of.day)) AS month, groupArray((of.day, of.edition)) AS parts, count() AS days,
            groupBitXor(of.edition) AS digest
        FROM (SELECT cloud_account_id, day, edition FROM cost_day FINAL WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}) AS of
        GROUP BY cloud_account_id, month
    ) AS d
    LEFT ANY JOIN
    (
        SELECT cloud_account_id, day, days, digest, edition
        FROM cost_month FINAL
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    ) AS m ON m.cloud_account_id = d.cloud_account_id AND m.day = d.month
)
