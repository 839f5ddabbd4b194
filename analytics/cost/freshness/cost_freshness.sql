-- The newest day of a range that has a line, and the time when sums of the range last changed, for all accounts or some: one row, empty
-- without any. A day that a replaced export left empty has no line. {as_of} is a UTC time after which publications do not count, '' means
-- now. Read by cost reports.
SELECT
    if(countIf(holds) = 0, '', toString(maxIf(day, holds))) AS through,
    if(count() = 0, '', formatDateTime(max(if(
        {as_of:String} = '' OR published_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC'),
        published_at, before_at)), '%Y-%m-%dT%H:%i:%S.%fZ')) AS updated_on
FROM
(
    SELECT day, published_at, before_at, before_generation,
        if({as_of:String} = '' OR published_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC'), edition, before_edition) IN
        (
            SELECT edition FROM cost_service_daily_slot
            WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        ) AS holds
    FROM cost_day FINAL
    WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        AND (empty({accounts:Array(String)}) OR cloud_account_id IN
        (
            SELECT DISTINCT if(billing_account_id = '', cloud_account_id, billing_account_id)
            FROM cost_service_daily_slot
            WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND cloud_account_id IN {accounts:Array(String)}
        ))
        AND ({as_of:String} = '' OR published_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC')
            OR before_generation != 0 AND before_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC'))
)
