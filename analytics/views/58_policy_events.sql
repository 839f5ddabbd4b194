-- What autoscaler policies did and said, one row an event, oldest first by (at, n): recommendations, changes and by whom, what failed.
-- As fresh as the last commit. Always name org_id.
CREATE OR REPLACE VIEW policy_events AS
SELECT * EXCEPT (x_Version)
FROM policy_event FINAL
