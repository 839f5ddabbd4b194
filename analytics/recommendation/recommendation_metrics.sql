-- Usage of a resource by the metrics {names} that a rule reads: one row per metric, over its {days} whole days before {until}, from all
-- samples, and as means of steps of {steps} seconds that have samples. {stored} are the names in samples. The lists correspond by
-- position; if a metric has several names, the first with samples counts. Read by the metrics of a recommendation.
WITH samples AS
(
    SELECT
        indexOf({stored:Array(String)}, metric) AS place,
        {names:Array(String)}[place] AS name,
        {until:DateTime64(3, 'UTC')} - toIntervalDay({days:Array(UInt16)}[place]) AS since,
        intDiv(toUInt32(toDateTime(ts) - toDateTime(since)), {steps:Array(UInt32)}[place]) AS step,
        toUnixTimestamp(since) + step * {steps:Array(UInt32)}[place] AS at,
        value,
        ifNull(max, value) AS peak
    FROM metric_sample FINAL
    ARRAY JOIN (range(greatest(samples, 1))) AS nth
    WHERE org_id = {org:String} AND resource_uid = {uid:String} AND metric IN {stored:Array(String)}
        AND cloud_account_id = {account:String}
        AND ts >= {until:DateTime64(3, 'UTC')} - toIntervalDay({days:Array(UInt16)}[indexOf({stored:Array(String)}, metric)])
        AND ts < {until:DateTime64(3, 'UTC')}
),
told AS
(
    SELECT name, at, value, peak FROM samples WHERE (name, place) IN (SELECT name, min(place) FROM samples GROUP BY name)
)
SELECT metric, average, p95, maximum, seconds, means
FROM
(
    SELECT
        name AS metric,
        round(avg(value), 4) AS average,
        round(quantileExactInclusive(0.95)(value), 4) AS p95,
        max(peak) AS maximum
    FROM told
    GROUP BY name
) AS figures
INNER JOIN
(
    SELECT name AS metric, groupArray(at) AS seconds, groupArray(mean) AS means
    FROM (SELECT name, at, round(avg(value), 4) AS mean FROM told GROUP BY name, at ORDER BY name, at)
    GROUP BY name
) AS points USING (metric)
ORDER BY metric
