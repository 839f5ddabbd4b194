-- Further properties of a resource by the producer's names: strings as they are, anything else as JSON.
ALTER TABLE resource_state ADD COLUMN IF NOT EXISTS specs Map(LowCardinality(String), String) CODEC(ZSTD) AFTER tags
