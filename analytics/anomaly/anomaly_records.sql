-- The latest records of the anomalies of some days ({days}), types ({types}) and keys ({keys}), withdrawn ones included: one row per
-- anomaly, in US dollars. Read by the anomaly actor, which changes and appends them again.
SELECT
    org_id, toString(date) AS date, anomaly_type, anomaly_key, label, id, severity, method, actual_usd, expected_usd, deviation_percent,
    root_cause, explained, top_resources, cloud_account_id, team_id, origin, suppressed, story, recurrence, notified,
    formatDateTime(notified_at, '%Y-%m-%dT%H:%i:%S.%fZ') AS notified_at,
    formatDateTime(created_at, '%Y-%m-%dT%H:%i:%S.%fZ') AS created_at,
    review_state, toString(review_until) AS review_until, review_note, reviewed_by,
    formatDateTime(reviewed_at, '%Y-%m-%dT%H:%i:%S.%fZ') AS reviewed_at,
    withdrawn
FROM
(
    SELECT *
    FROM anomaly_state FINAL
    WHERE org_id = {org:String} AND date IN {days:Array(Date32)}
        AND anomaly_type IN {types:Array(String)} AND anomaly_key IN {keys:Array(String)}
)
ORDER BY date, anomaly_type, anomaly_key
