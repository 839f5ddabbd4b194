-- Utilization samples: one row per resource, metric and time. Percentages are 0 to 100; bytes and requests are counts of the sample's
-- interval. `max` and `sum` are the highest value and the total of the interval. As fresh as the last commit. Always filter by org_id.
CREATE OR REPLACE VIEW metric_samples AS
SELECT org_id, cloud_account_id, resource_uid, metric, ts, value, ifNull(s.max, value) AS max, ifNull(s.sum, value) AS sum
FROM metric_sample AS s FINAL
