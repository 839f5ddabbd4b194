-- Recommendations in their current state: one row per rule and resource. `savings_usd` (US dollars in 30 days) adds up: it is 0 for
-- recommendations that are stale or held back. As fresh as the last commit. Always filter by org_id.
CREATE OR REPLACE VIEW recommendations AS
SELECT * EXCEPT (x_Version)
FROM recommendation_state FINAL
