-- Utilization samples: one row per resource, metric and time; older months have one per hour. Percentages are 0 to 100; bytes and requests are counts of the sample's
-- interval. `max` and `sum` are the highest value and the total of the interval; `samples` is the number of
-- samples that an hour is the mean of, 0 for a sample as received. As fresh as the last commit. Always filter by org_id.
CREATE OR REPLACE VIEW metric_samples AS
SELECT org_id, cloud_account_id, resource_uid, metric, ts, value, ifNull(s.max, value) AS max, ifNull(s.sum, value) AS sum, samples
FROM metric_sample AS s FINAL
