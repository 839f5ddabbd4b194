-- What channels told people, or were to tell them, in the last 90 days: one row an event and channel, and one for each press of a
-- test button. Without the built-in mails, which are the business of those who get them.
CREATE OR REPLACE VIEW notifications AS
SELECT
    org_id, created_at, id, channel_id, kind, event_id, event_type, category, severity, title, scope_type, scope_id, status, hold,
    tries, response_status, message, next_try_at, ended_at, folded_into, event
FROM notification_delivery FINAL
WHERE NOT startsWith(channel_id, 'mail:')
