-- The latest known state of every resource, deleted ones included (deleted_at is set): one row per account and resource. hourly_rate_usd
-- is US dollars per hour while running. `specs` has further properties by the producer's names: strings as they are, anything else as JSON
-- ('false', '100', '["a"]'). As fresh as the last commit. Always filter by org_id.
CREATE OR REPLACE VIEW resources AS
SELECT * EXCEPT (x_Version)
FROM resource_state FINAL
