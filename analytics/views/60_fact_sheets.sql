-- Facts that rules could read of resources, and what rules found: one row per resource and day. Always filter by org_id.
CREATE OR REPLACE VIEW fact_sheets AS
SELECT * EXCEPT (x_Version)
FROM fact_sheet FINAL
