-- Resources that a schedule should have stopped on the day {day} or the day before and that kept running, of {uids}: one row per resource.
-- Read by the anomaly job and GET /reports/anomalies/:anomalyID.
SELECT resource_uid, max(schedule_id) AS schedule_id
FROM scheduler_event FINAL
WHERE org_id = {org:String} AND resource_uid IN {uids:Array(String)} AND action = 'stop' AND status IN ('failed', 'partial', 'missed')
    AND toDate32(triggered_at) BETWEEN {day:Date32} - 1 AND {day:Date32}
GROUP BY resource_uid
ORDER BY resource_uid
