-- Security events: who signed in, was refused, made or took back a token, changed a role. A few seconds old at most.
-- Always name org_id.
CREATE OR REPLACE VIEW security_events AS
SELECT org_id, at, type, user_id, principal, email, ip, user_agent, request_id, detail, event_id
FROM security_event FINAL
