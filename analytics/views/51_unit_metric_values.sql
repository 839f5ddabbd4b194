-- Values of unit metrics: one row per series and time. The table unit_metric in PostgreSQL has the series of each metric. As fresh as the
-- last commit. Always filter by org_id.
CREATE OR REPLACE VIEW unit_metric_values AS
SELECT org_id, series_id, ts, value
FROM unit_metric_value FINAL
