-- The highest value and the total of the sample's interval. Null, as in older rows, means `value`.
ALTER TABLE metric_sample
    ADD COLUMN IF NOT EXISTS max Nullable(Float64) CODEC(ZSTD) AFTER value,
    ADD COLUMN IF NOT EXISTS sum Nullable(Float64) CODEC(ZSTD) AFTER max
