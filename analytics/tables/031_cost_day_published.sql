-- When the sums of each day were published, and the sums they replaced, which stay in the other slot until the next recomputation of the
-- day. 0 and 1970 mean there were none. Written by the cost rollup.
ALTER TABLE cost_day
    ADD COLUMN IF NOT EXISTS published_at DateTime64(3, 'UTC') DEFAULT 0,
    ADD COLUMN IF NOT EXISTS before_generation UInt64 DEFAULT 0,
    ADD COLUMN IF NOT EXISTS before_at DateTime64(3, 'UTC') DEFAULT 0,
    ADD COLUMN IF NOT EXISTS before_edition UInt64 MATERIALIZED sipHash64(cloud_account_id, day, before_generation)
