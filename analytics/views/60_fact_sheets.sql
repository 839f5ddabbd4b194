-- What resources were judged by day by day, and what rules found in them, one row a resource and day. Always name org_id.
CREATE OR REPLACE VIEW fact_sheets AS
SELECT * EXCEPT (x_Version)
FROM fact_sheet FINAL
