-- A page of the anomalies from {from} to {to}, both included, and their total number: one row per anomaly, in US dollars. {sort_by} is
-- date or excess, descending unless {asc} is 1. Empty lists mean all; {suppressed} 0 leaves out suppressed anomalies, {recurring} 0
-- recurring ones; `none` in {reviews} means without a review. {min_usd} is the smallest amount above the baseline, 0 means any. {scoped} 1
-- keeps only those of the accounts {scope_accounts} and the teams {scope_teams}. Amounts are compared as decimals of eight places, as they
-- are stored. Read by GET /reports/anomalies, its export, and the replay of anomaly settings.
SELECT
    id, org_id, toString(date) AS day, anomaly_type, anomaly_key, if(label = '', anomaly_key, label) AS called,
    severity, method, actual_usd, expected_usd,
    toDecimal128(toString(actual_usd), 8) - toDecimal128(toString(expected_usd), 8) AS excess_usd, deviation_percent,
    root_cause, explained, top_resources, cloud_account_id AS account, team_id AS team, recurrence, suppressed = 1 AS is_suppressed, notified = 1 AS is_notified,
    if(notified_at IS NULL, '', formatDateTime(notified_at, '%Y-%m-%dT%H:%i:%S.%fZ')) AS notified_on,
    formatDateTime(created_at, '%Y-%m-%dT%H:%i:%S.%fZ') AS created_on,
    review_state, ifNull(toString(review_until), '') AS review_until_day, review_note, reviewed_by,
    if(reviewed_at IS NULL, '', formatDateTime(reviewed_at, '%Y-%m-%dT%H:%i:%S.%fZ')) AS reviewed_on,
    count() OVER () AS total
FROM anomaly_state FINAL
WHERE org_id = {org:String} AND date BETWEEN {from:Date32} AND {to:Date32} AND withdrawn = 0
    AND (empty({types:Array(String)}) OR anomaly_type IN {types:Array(String)})
    AND (empty({severities:Array(String)}) OR severity IN {severities:Array(String)})
    AND (empty({keys:Array(String)}) OR anomaly_key IN {keys:Array(String)})
    AND (empty({ids:Array(String)}) OR id IN {ids:Array(String)})
    AND (empty({reviews:Array(String)}) OR if(review_state = '', 'none', review_state) IN {reviews:Array(String)})
    AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})
    AND (empty({teams:Array(String)}) OR team_id IN {teams:Array(String)})
    AND ({min_usd:Decimal(38, 14)} = 0 OR excess_usd >= {min_usd:Decimal(38, 14)})
    AND ({suppressed:UInt8} OR anomaly_state.suppressed = 0)
    AND ({recurring:UInt8} OR recurrence = '')
    AND ({scoped:UInt8} = 0
        OR cloud_account_id IN {scope_accounts:Array(String)} AND anomaly_type IN ('cloud_account', 'resource')
        OR team_id IN {scope_teams:Array(String)} AND anomaly_type IN ('team', 'resource'))
ORDER BY
    if({asc:UInt8} = 1, 1, -1) * if({sort_by:String} = 'excess', excess_usd, toDecimal128(toInt32(date), 8)),
    date DESC, anomaly_type, anomaly_key
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
