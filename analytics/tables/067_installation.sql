-- The installation that this database belongs to, and the newest position of PostgreSQL that it knows: one row. It reveals a database that
-- was emptied, restored from an older copy, or confused with another one. Written by every process of the service.
CREATE TABLE IF NOT EXISTS installation
(
    id       String,
    position UInt64,
    at       DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree(position)
ORDER BY id
SETTINGS non_replicated_deduplication_window = 0
