-- Who produced what was bought, as bills say it (PublisherName of FOCUS 1.0 to 1.3); empty for those that do not, and for lines from before.
ALTER TABLE cost_fact
    ADD COLUMN IF NOT EXISTS x_PublisherName LowCardinality(String)
