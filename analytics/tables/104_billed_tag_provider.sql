-- The provider: keys of Azure do not depend on case. Empty in older rows. Written by the cost rollup.
ALTER TABLE billed_tag
    ADD COLUMN IF NOT EXISTS provider LowCardinality(String)
