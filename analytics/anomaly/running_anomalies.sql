-- The anomalies of a day that were found while it was not over.
SELECT anomaly_type, anomaly_key
FROM anomaly_state FINAL
WHERE org_id = {org:String} AND date = {day:Date32} AND origin = 'running' AND withdrawn = 0
ORDER BY anomaly_type, anomaly_key
