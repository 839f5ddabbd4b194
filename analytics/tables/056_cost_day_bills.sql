-- Exports that the sums of a day were computed from, by billing period, and those of the sums before. Written by the cost rollup.
ALTER TABLE cost_day
    ADD COLUMN IF NOT EXISTS bills Array(Tuple(period LowCardinality(String), export LowCardinality(String))),
    ADD COLUMN IF NOT EXISTS before_bills Array(Tuple(period LowCardinality(String), export LowCardinality(String)))
