-- One row a value of a unit metric: how many there were at a time, or since the value before. The same (series, time)
-- replaces itself. A metric whose values were all dropped goes on under another series. Read it with FINAL, or through the
-- view unit_metric_values. Written by the unit-metric actor.
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
