-- `story` is what anomalies of a day with one cause have in common, `recurrence` when the like of one comes (every Friday), empty for what is
-- new. Both are empty of those recorded by earlier versions.
ALTER TABLE anomaly_state
    ADD COLUMN IF NOT EXISTS story String AFTER suppressed,
    ADD COLUMN IF NOT EXISTS recurrence String AFTER story
