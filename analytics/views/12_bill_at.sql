-- The exports of bills that the sums of each day were worked out from, as reports show them now, or showed them at {as_of} ('' for
-- now): one row a (account, day, billing period).
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
