-- Log of readiness plans: one row per change, ordered by n. As fresh as the last commit. Always filter by org_id.
CREATE OR REPLACE VIEW plan_logs AS
SELECT * EXCEPT (x_Version)
FROM plan_log FINAL
