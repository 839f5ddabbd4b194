-- History of workflows: one row per change, ordered by (at, n): approvals, decisions of the guard, calls. As fresh as the last commit.
-- Always filter by org_id.
CREATE OR REPLACE VIEW workflow_events AS
SELECT * EXCEPT (x_Version)
FROM workflow_event FINAL
