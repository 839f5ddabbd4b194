-- The newest known state of every resource: one row a (account, resource), those that are gone included (deleted_at is set).
-- hourly_rate_usd is US dollars an hour while running; specs hold what its producer says beyond the columns, texts as they are
-- and anything else as JSON ('false', '100', '["a"]'). As fresh as the last commit. Always name org_id.
CREATE OR REPLACE VIEW resources AS
SELECT * EXCEPT (x_Version)
FROM resource_state FINAL
