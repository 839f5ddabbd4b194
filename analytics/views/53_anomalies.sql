-- Anomalies of cost that stand: one row a (organization, day, type, key); see the columns' meaning in docs/anomalies.md. As fresh
-- as the last commit. Always name org_id.
CREATE OR REPLACE VIEW anomalies AS
SELECT * EXCEPT (x_Version, withdrawn)
FROM anomaly_state FINAL
WHERE withdrawn = 0
