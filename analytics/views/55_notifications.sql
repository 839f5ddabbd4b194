-- Notifications of the last 90 days, sent or still to send: one row per event and channel, and one per test of a channel. The built-in
-- emails are left out, because they are private. Always filter by org_id.
CREATE OR REPLACE VIEW notifications AS
SELECT
    org_id, created_at, id, channel_id, kind, event_id, event_type, category, severity, title, scope_type, scope_id, status, hold,
    tries, response_status, message, next_try_at, ended_at, folded_into, event
FROM notification_delivery FINAL
WHERE NOT startsWith(channel_id, 'mail:')
