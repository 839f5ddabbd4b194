-- Number of samples that a row is the mean of, by the hour; 0 for a sample as received. Rows by the hour have a `ts` one millisecond after
-- the hour. Written by the retention sweep, which replaces the samples of a month by them.
ALTER TABLE metric_sample
    ADD COLUMN IF NOT EXISTS samples UInt32 AFTER sum
