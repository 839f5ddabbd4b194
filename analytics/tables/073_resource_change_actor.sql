-- Who made the change: what scans found, or what an action of ours did.
ALTER TABLE resource_change ADD COLUMN IF NOT EXISTS actor LowCardinality(String) DEFAULT 'discovery' AFTER kind
