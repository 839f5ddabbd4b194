-- Exports that kept sums were computed from. Written by the cost rollup.
ALTER TABLE cost_day_kept
    ADD COLUMN IF NOT EXISTS bills Array(Tuple(period LowCardinality(String), export LowCardinality(String)))
