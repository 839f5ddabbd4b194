-- Cost anomalies that were not withdrawn: one row per organization, day, type and key. docs/anomalies.md describes the columns. Amounts
-- are US dollars. As fresh as the last commit. Always filter by org_id.
CREATE OR REPLACE VIEW anomalies AS
SELECT * EXCEPT (x_Version, withdrawn)
FROM anomaly_state FINAL
WHERE withdrawn = 0
