-- Whose keys do not depend on case: those of Azure. Empty for rows from before this was known. Written by the cost rollup.
ALTER TABLE billed_tag
    ADD COLUMN IF NOT EXISTS provider LowCardinality(String)
