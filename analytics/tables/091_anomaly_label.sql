-- Name of what was anomalous, at detection; empty in older rows.
ALTER TABLE anomaly_state
    ADD COLUMN IF NOT EXISTS label String AFTER anomaly_key
