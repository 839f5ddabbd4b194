-- Columns of the bill that its format does not have, and all that begin with x_: at most 64 of a line, 8,192 bytes with their names.
ALTER TABLE cost_fact
    ADD COLUMN IF NOT EXISTS x_OtherColumns Map(LowCardinality(String), String)
