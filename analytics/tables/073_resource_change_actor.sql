-- Origin of the change: discovery, or an action of ours.
ALTER TABLE resource_change ADD COLUMN IF NOT EXISTS actor LowCardinality(String) DEFAULT 'discovery' AFTER kind
