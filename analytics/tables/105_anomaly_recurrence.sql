-- `story` is a key shared by anomalies of a day that have one cause; `recurrence` is when similar days occur (every Friday), empty if they
-- do not. Both are empty in older rows.
ALTER TABLE anomaly_state
    ADD COLUMN IF NOT EXISTS story String AFTER suppressed,
    ADD COLUMN IF NOT EXISTS recurrence String AFTER story
