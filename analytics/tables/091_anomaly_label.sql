-- What the thing was called when the anomaly was found; empty of those recorded by earlier versions.
ALTER TABLE anomaly_state
    ADD COLUMN IF NOT EXISTS label String AFTER anomaly_key
