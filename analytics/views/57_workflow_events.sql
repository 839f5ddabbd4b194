-- What happened to workflows, one row a change, oldest first by (at, n): who approved what, what the guard said, which calls were
-- made. As fresh as the last commit. Always name org_id.
CREATE OR REPLACE VIEW workflow_events AS
SELECT * EXCEPT (x_Version)
FROM workflow_event FINAL
