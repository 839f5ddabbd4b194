-- How far the bills of a range of days reach, and when the sums of the range last changed: of all accounts, or of some. Empty
-- where nothing was billed. {as_of} '' is now, else a UTC time: what was published since does not count.
SELECT
    if(count() = 0, '', toString(max(day))) AS through,
    if(count() = 0, '', formatDateTime(max(if(
        {as_of:String} = '' OR published_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC'),
        published_at, before_at)), '%Y-%m-%dT%H:%i:%S.%fZ')) AS updated_on
FROM cost_day FINAL
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})
    AND ({as_of:String} = '' OR published_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC')
        OR before_generation != 0 AND before_at <= parseDateTime64BestEffortOrZero({as_of:String}, 3, 'UTC'))
