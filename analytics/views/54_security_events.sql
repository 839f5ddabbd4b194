-- Security events, such as sign-ins, refusals, new and revoked tokens, and changes of roles: one row per event. A few seconds old at most.
-- Always filter by org_id.
CREATE OR REPLACE VIEW security_events AS
SELECT org_id, at, type, user_id, principal, email, ip, user_agent, request_id, detail, event_id
FROM security_event FINAL
