-- Utilization samples: one row a (resource, metric, time). Percentages are 0 to 100; bytes and requests are counts in the
-- sample's interval. As fresh as the last commit. Always name org_id.
CREATE OR REPLACE VIEW metric_samples AS
SELECT org_id, cloud_account_id, resource_uid, metric, ts, value
FROM metric_sample FINAL
