-- What happened to readiness plans, one row a change, oldest first by n. As fresh as the last commit. Always name org_id.
CREATE OR REPLACE VIEW plan_logs AS
SELECT * EXCEPT (x_Version)
FROM plan_log FINAL
