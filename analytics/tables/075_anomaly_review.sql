-- Review of an anomaly: `review_state` is acknowledged, expected (until the day `review_until`, included), or empty without a review.
-- `review_note` is the note, `reviewed_by` the user ID, empty for a token without a user.
ALTER TABLE anomaly_state
    ADD COLUMN IF NOT EXISTS review_state LowCardinality(String) AFTER created_at,
    ADD COLUMN IF NOT EXISTS review_until Nullable(Date32) AFTER review_state,
    ADD COLUMN IF NOT EXISTS review_note String AFTER review_until,
    ADD COLUMN IF NOT EXISTS reviewed_by String AFTER review_note,
    ADD COLUMN IF NOT EXISTS reviewed_at Nullable(DateTime64(3, 'UTC')) AFTER reviewed_by
