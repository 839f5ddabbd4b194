-- The days a line left in the batch that put it where it stands, YYYY-MM-DD with commas between, the first of them in from_day too: a
-- replay of any part of that batch marks them once more.
ALTER TABLE cost_line_day ADD COLUMN IF NOT EXISTS from_days String
