-- The newest known state of every resource: one row a (account, resource), those that are gone included (deleted_at is set).
-- hourly_rate_usd is US dollars an hour while running. As fresh as the last commit. Always name org_id.
CREATE OR REPLACE VIEW resources AS
SELECT * EXCEPT (x_Version)
FROM resource_state FINAL
