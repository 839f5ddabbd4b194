-- Days that a line left in the batch that moved it to its current day: YYYY-MM-DD, separated by commas, the first of them also in
-- from_day. A replay of any part of the batch then marks these days again.
ALTER TABLE cost_line_day ADD COLUMN IF NOT EXISTS from_days String
