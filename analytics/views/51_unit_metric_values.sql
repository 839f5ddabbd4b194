-- Values of unit metrics: one row a (series, time). Which metric a series belongs to stands in PostgreSQL, in unit_metric.
-- As fresh as the last commit. Always name org_id.
CREATE OR REPLACE VIEW unit_metric_values AS
SELECT org_id, series_id, ts, value
FROM unit_metric_value FINAL
