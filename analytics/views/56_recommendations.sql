-- Recommendations as they are now: one row a finding of a rule about a resource. `savings_usd` adds up; what is stale or held
-- back counts nothing there. As fresh as the last commit. Always name org_id.
CREATE OR REPLACE VIEW recommendations AS
SELECT * EXCEPT (x_Version)
FROM recommendation_state FINAL
