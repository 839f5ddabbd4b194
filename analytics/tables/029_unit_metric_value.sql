-- Values of unit metrics: one row per series and time, the number of units at that time or since the value before. The same key replaces
-- the row. A metric whose values were all deleted continues under another series. Read it with FINAL or through the view
-- unit_metric_values. Written by the unit-metric actor.
CREATE TABLE IF NOT EXISTS unit_metric_value
(
    org_id    LowCardinality(String),
    series_id String,
    ts        DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD),
    value     Float64 CODEC(Gorilla, ZSTD),
    x_Version UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, series_id, ts)
SETTINGS non_replicated_deduplication_window = 0
