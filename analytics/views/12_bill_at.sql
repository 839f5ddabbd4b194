-- Exports that the sums of each day were computed from, as reports show them now, or showed them at {as_of} ('' means now): one row per
-- account, day and billing period. Parameters: {org}, {from} and {to} (both included), {as_of}. Read by cost_lines_at.
CREATE OR REPLACE VIEW bill_at AS
SELECT cloud_account_id, day, tupleElement(bill, 1) AS period, tupleElement(bill, 2) AS export
FROM
(
    SELECT cloud_account_id, day,
        if({as_of:String} = '' OR published_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC'), bills, before_bills) AS stood
    FROM cost_day FINAL
    WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        AND ({as_of:String} = '' OR published_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC')
            OR before_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC') AND before_generation != 0)
    UNION ALL
    SELECT cloud_account_id, day, argMax(bills, generation) AS stood
    FROM cost_day_kept FINAL
    WHERE {as_of:String} != '' AND org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        AND published_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC')
        AND (cloud_account_id, day) NOT IN
        (
            SELECT cloud_account_id, day
            FROM cost_day FINAL
            WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
                AND (published_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC')
                    OR before_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC') AND before_generation != 0)
        )
    GROUP BY cloud_account_id, day
)
ARRAY JOIN stood AS bill
