-- Statistics of the samples of the resources {uids} of an account: one row per resource, metric and window. {windows} are numbers of days
-- before {until}, the start of a day. {metrics} are the names in samples, {names} the names in the result, by position; if both have a
-- sample at a time, the one with the result's name counts. {deltas} are the metrics that add up, {padded} those of them for which no
-- sample means none, in windows of at most {padded_days}.
-- An hour that has replaced its samples counts as that many with its mean, evenly spaced. Samples are put into buckets of five minutes, or of the usual step of their series if that is longer: the mean of a level, or the total
-- of a metric that adds up, scaled to five minutes. `step` is the median time between samples in seconds, `buckets` the number of buckets
-- with samples, of `expected`. Percentiles are exact, interpolated between the two nearest buckets. on_ and off_ are those of buckets that
-- start within and outside business hours of {tz}: minutes {business_from} to {business_to} of the days {business_days} (1 is Monday);
-- null if there are none. Read by the sweep of recommendations.
WITH sample AS
(
    SELECT
        s.resource_uid AS uid,
        transform(s.metric, {metrics:Array(String)}, {names:Array(String)}, s.metric) AS name,
        groupArrayIf((toUInt32(toUnixTimestamp(s.ts) + intDiv(3600 * nth, greatest(s.samples, 1))), s.value, ifNull(s.max, s.value),
            ifNull(s.sum, s.value) / greatest(s.samples, 1)), s.metric = name) AS own,
        groupArrayIf((toUInt32(toUnixTimestamp(s.ts) + intDiv(3600 * nth, greatest(s.samples, 1))), s.value, ifNull(s.max, s.value),
            ifNull(s.sum, s.value) / greatest(s.samples, 1)), s.metric != name) AS others,
        own.1 AS own_times
    FROM metric_sample AS s FINAL
    ARRAY JOIN (range(greatest(s.samples, 1))) AS nth
    WHERE s.org_id = {org:String} AND s.resource_uid IN {uids:Array(String)} AND s.metric IN {metrics:Array(String)}
        AND s.cloud_account_id = {account:String}
        AND s.ts >= {until:DateTime('UTC')} - INTERVAL arrayMax({windows:Array(UInt16)}) DAY AND s.ts < {until:DateTime('UTC')}
    GROUP BY uid, name
),
series AS
(
    SELECT
        uid,
        name,
        arraySort(arrayConcat(own, arrayFilter(other -> NOT has(own_times, other.1), others))) AS samples,
        samples.1 AS times,
        if(length(times) < 2, 0, arrayReduce('medianExact', arrayPopFront(arrayDifference(times)))) AS step,
        arrayFirst(width -> width >= step OR width = 86400, [300, 600, 900, 1200, 1800, 3600, 7200, 10800, 14400, 21600, 43200, 86400]) AS width
    FROM sample
),
bucket AS
(
    SELECT
        uid,
        name,
        step,
        width,
        arrayMap(at -> intDiv(at, width) * width, times) AS begin_of,
        arraySplit((one, is_first) -> is_first, samples, arrayMap(d -> d != 0, arrayDifference(begin_of))) AS buckets,
        arrayMap(one -> intDiv((one[1]).1, width) * width, buckets) AS begins,
        has({deltas:Array(String)}, name) AS is_delta,
        arrayMap(one -> if(is_delta, arraySum(one.4) * 300 / width, arrayAvg(one.2)), buckets) AS bucket_levels,
        arrayMap(one -> arrayMax(one.3), buckets) AS bucket_highest,
        arrayMap(one -> arraySum(one.4), buckets) AS bucket_totals,
        arrayMap(begin -> toDateTime(begin, {tz:String}), begins) AS moments,
        arrayMap(
            moment -> has({business_days:Array(UInt8)}, toDayOfWeek(moment))
                AND toHour(moment) * 60 + toMinute(moment) >= {business_from:UInt16}
                AND toHour(moment) * 60 + toMinute(moment) < {business_to:UInt16},
            moments) AS is_business
    FROM series
),
spread AS
(
    SELECT
        uid,
        name,
        window,
        toUInt32(step) AS step,
        arrayFirstIndex(begin -> begin >= toUnixTimestamp({until:DateTime('UTC')}) - window * 86400, begins) AS first,
        arraySlice(bucket_levels, first) AS measured,
        arraySlice(is_business, first) AS is_on,
        toUInt32(length(measured)) AS buckets,
        toUInt32(window * intDiv(86400, width)) AS expected,
        arrayMax(arraySlice(bucket_highest, first)) AS highest,
        arraySum(arraySlice(bucket_totals, first)) AS total,
        if(has({padded:Array(String)}, name) AND window <= {padded_days:UInt16}, greatest(0, toInt64(expected) - toInt64(buckets)), 0) AS empty_buckets,
        arrayConcat(measured, arrayWithConstant(empty_buckets, 0)) AS levels,
        arrayFilter((level, is_in) -> is_in, measured, is_on) AS on_levels,
        arrayFilter((level, is_in) -> NOT is_in, measured, is_on) AS off_levels
    FROM bucket
    ARRAY JOIN {windows:Array(UInt16)} AS window
    WHERE first > 0
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
