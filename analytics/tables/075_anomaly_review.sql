-- What people say of an anomaly: `review_state` is acknowledged, expected (until the day `review_until`, included), or empty while
-- nothing is said; `review_note` is shown to people, `reviewed_by` the id of who said it, empty where a token of nobody did.
ALTER TABLE anomaly_state
    ADD COLUMN IF NOT EXISTS review_state LowCardinality(String) AFTER created_at,
    ADD COLUMN IF NOT EXISTS review_until Nullable(Date32) AFTER review_state,
    ADD COLUMN IF NOT EXISTS review_note String AFTER review_until,
    ADD COLUMN IF NOT EXISTS reviewed_by String AFTER review_note,
    ADD COLUMN IF NOT EXISTS reviewed_at Nullable(DateTime64(3, 'UTC')) AFTER reviewed_by
