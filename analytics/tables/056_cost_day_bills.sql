-- The exports of bills that the sums of a day were worked out from, by billing period, and those before them. Written by the cost rollup.
ALTER TABLE cost_day
    ADD COLUMN IF NOT EXISTS bills Array(Tuple(period LowCardinality(String), export LowCardinality(String))),
    ADD COLUMN IF NOT EXISTS before_bills Array(Tuple(period LowCardinality(String), export LowCardinality(String)))
