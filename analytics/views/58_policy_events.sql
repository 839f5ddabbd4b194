-- Events of autoscaler policies: one row per event, ordered by (at, n): recommendations, changes with their author, failures. As fresh as
-- the last commit. Always filter by org_id.
CREATE OR REPLACE VIEW policy_events AS
SELECT * EXCEPT (x_Version)
FROM policy_event FINAL
