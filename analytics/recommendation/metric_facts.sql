-- What the samples of the resources {uids} of an account say, by metric and window: the {windows} last days before {until}, which is the
-- beginning of a day. {metrics} are the names that samples have, {names} those that the answer has for them, in the same order; where
-- both have a sample of a moment, the one of the answer's own name counts. {deltas} are the names of what adds up, {padded} of
-- those of which no sample means none, in windows of {padded_days} at most.
--
-- Samples go into buckets of five minutes, or of the usual step of their series where that is longer: the mean of a level, the total of
-- what adds up, taken as of five minutes. `step` is the median time between two samples in seconds, `buckets` how many have one, of
-- `expected`. Percentiles are exact, interpolated between the two nearest buckets. on_ and off_ are those of buckets that begin within
-- the business hours of {tz}, {business_from} to {business_to} in minutes of the days {business_days} (1 is Monday), and without; null
-- where there are none.
WITH sample AS
(
    SELECT
        s.resource_uid AS uid,
        transform(s.metric, {metrics:Array(String)}, {names:Array(String)}, s.metric) AS name,
        toUnixTimestamp(s.ts) AS at,
        argMax(s.value, s.metric = name) AS value,
        argMax(ifNull(s.max, s.value), s.metric = name) AS highest,
        argMax(ifNull(s.sum, s.value), s.metric = name) AS total
    FROM metric_sample AS s FINAL
    WHERE s.org_id = {org:String} AND s.resource_uid IN {uids:Array(String)} AND s.metric IN {metrics:Array(String)}
        AND s.cloud_account_id = {account:String}
        AND s.ts >= {until:DateTime('UTC')} - INTERVAL arrayMax({windows:Array(UInt16)}) DAY AND s.ts < {until:DateTime('UTC')}
    GROUP BY uid, name, at
),
series AS
(
    SELECT
        uid,
        name,
        length(times) AS samples,
        if(samples < 2, 0, arrayReduce('medianExact', arrayPopFront(arrayDifference(times)))) AS step,
        arrayFirst(width -> width >= step OR width = 86400, [300, 600, 900, 1200, 1800, 3600, 7200, 10800, 14400, 21600, 43200, 86400]) AS width
    FROM (SELECT uid, name, arraySort(groupArray(at)) AS times FROM sample GROUP BY uid, name)
),
bucket AS
(
    SELECT
        sample.uid AS uid,
        sample.name AS name,
        any(series.step) AS step,
        any(series.width) AS width,
        intDiv(sample.at, series.width) * series.width AS begin,
        if(has({deltas:Array(String)}, sample.name), sum(sample.total) * 300 / width, avg(sample.value)) AS level,
        max(sample.highest) AS highest,
        sum(sample.total) AS total,
        toDateTime(begin, 'UTC') AS moment,
        has({business_days:Array(UInt8)}, toDayOfWeek(moment, 0, {tz:String}))
            AND toHour(moment, {tz:String}) * 60 + toMinute(moment, {tz:String}) >= {business_from:UInt16}
            AND toHour(moment, {tz:String}) * 60 + toMinute(moment, {tz:String}) < {business_to:UInt16} AS is_business
    FROM sample
    INNER JOIN series ON series.uid = sample.uid AND series.name = sample.name
    GROUP BY uid, name, begin
),
spread AS
(
    SELECT
        uid,
        name,
        window,
        toUInt32(any(step)) AS step,
        toUInt32(count()) AS buckets,
        toUInt32(window * intDiv(86400, any(width))) AS expected,
        max(highest) AS highest,
        sum(total) AS total,
        if(has({padded:Array(String)}, name) AND window <= {padded_days:UInt16}, greatest(0, toInt64(expected) - toInt64(buckets)), 0) AS empty_buckets,
        arrayConcat(groupArray(level), arrayWithConstant(empty_buckets, 0)) AS levels,
        groupArrayIf(level, is_business) AS on_levels,
        groupArrayIf(level, NOT is_business) AS off_levels
    FROM bucket
    ARRAY JOIN {windows:Array(UInt16)} AS window
    WHERE begin >= toUnixTimestamp({until:DateTime('UTC')}) - window * 86400
    GROUP BY uid, name, window
)
SELECT
    uid AS resource_uid,
    name,
    window,
    step,
    buckets,
    expected,
    arrayAvg(levels) AS avg_level,
    arrayMin(levels) AS min_level,
    if(empty_buckets > 0, greatest(highest, 0), highest) AS max_level,
    total,
    arrayReduce('quantilesExactInclusive(0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.97, 0.99)', levels) AS quantiles,
    if(empty(on_levels), NULL, arrayReduce('quantileExactInclusive(0.95)', on_levels)) AS on_p95,
    if(empty(off_levels), NULL, arrayReduce('quantileExactInclusive(0.95)', off_levels)) AS off_p95
FROM spread
ORDER BY uid, name, window
