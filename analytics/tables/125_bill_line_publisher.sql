-- Publisher of what was bought (PublisherName of FOCUS 1.0 to 1.3); empty if the bill has none, and in older rows.
ALTER TABLE bill_line
    ADD COLUMN IF NOT EXISTS x_PublisherName LowCardinality(String)
