-- What a producer says of a resource beyond its columns, by name: texts as they are, anything else as JSON.
ALTER TABLE resource_state ADD COLUMN IF NOT EXISTS specs Map(LowCardinality(String), String) CODEC(ZSTD) AFTER tags
