-- Columns of the bill that its format does not have, and all that start with x_: at most 64 per line, 8,192 bytes with their names.
ALTER TABLE bill_line
    ADD COLUMN IF NOT EXISTS x_OtherColumns Map(LowCardinality(String), String)
