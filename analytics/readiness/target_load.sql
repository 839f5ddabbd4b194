-- Load of targets from {since} until before {until}: one row per target of these accounts that has samples, with its mean CPU in per cent
-- and its requests per minute, null if not measured. A sample of requests is the total of its interval: the median distance between two
-- samples, or one minute for a single one. Read by the sizing of readiness plans.
WITH requested AS
(
    SELECT cloud_account_id, resource_uid, sum(total) AS requests, count() AS samples, arrayDifference(arraySort(groupArray(at_ms))) AS gaps
    FROM
    (
        SELECT s.cloud_account_id, s.resource_uid, toUnixTimestamp64Milli(s.ts) + intDiv(3600000 * nth, greatest(s.samples, 1)) AS at_ms,
            max(ifNull(s.sum, s.value) / greatest(s.samples, 1)) AS total
        FROM metric_sample AS s FINAL
        ARRAY JOIN (range(greatest(s.samples, 1))) AS nth
        WHERE s.org_id = {org:String} AND s.cloud_account_id IN {accounts:Array(String)} AND s.resource_uid IN {uids:Array(String)} AND s.metric IN ('requests', 'request_count')
            AND s.ts >= {since:DateTime64(3, 'UTC')} AND s.ts < {until:DateTime64(3, 'UTC')}
        GROUP BY cloud_account_id, resource_uid, at_ms
    )
    GROUP BY cloud_account_id, resource_uid
),
used AS
(
    SELECT s.cloud_account_id, s.resource_uid, avg(s.value) AS average_cpu
    FROM metric_sample AS s FINAL
    ARRAY JOIN (range(greatest(s.samples, 1))) AS nth
    WHERE s.org_id = {org:String} AND s.cloud_account_id IN {accounts:Array(String)} AND s.resource_uid IN {uids:Array(String)} AND s.metric = 'cpu_percent'
        AND s.ts >= {since:DateTime64(3, 'UTC')} AND s.ts < {until:DateTime64(3, 'UTC')}
    GROUP BY cloud_account_id, resource_uid
)
SELECT
    cloud_account_id,
    resource_uid,
    anyOrNull(average_cpu) AS average_cpu,
    anyOrNull(requests_a_minute) AS requests_a_minute
FROM
(
    SELECT cloud_account_id, resource_uid, toNullable(average_cpu) AS average_cpu, CAST(NULL, 'Nullable(Float64)') AS requests_a_minute FROM used
    UNION ALL
    SELECT
        cloud_account_id,
        resource_uid,
        CAST(NULL, 'Nullable(Float64)') AS average_cpu,
        toNullable(requests / (samples * if(samples > 1, arrayReduce('quantileExact', arrayPopFront(gaps)), 60000) / 60000)) AS requests_a_minute
    FROM requested
)
GROUP BY cloud_account_id, resource_uid
ORDER BY cloud_account_id, resource_uid
