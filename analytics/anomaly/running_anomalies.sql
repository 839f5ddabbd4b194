-- Anomalies of the day {day} that were found before it was over: one row per type and key. Read by the anomaly job.
SELECT anomaly_type, anomaly_key
FROM anomaly_state FINAL
WHERE org_id = {org:String} AND date = {day:Date32} AND origin = 'running' AND withdrawn = 0
ORDER BY anomaly_type, anomaly_key
