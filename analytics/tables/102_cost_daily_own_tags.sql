-- Tags of lines without a resource: a JSON object with sorted keys, empty for none and for lines of a resource. Lines that differ only in
-- these tags have rows of their own. Older days have none until they are recomputed. Written by the cost rollup.
ALTER TABLE cost_daily_slot
    ADD COLUMN IF NOT EXISTS own_tags LowCardinality(String),
    MODIFY ORDER BY (org_id, day, cloud_account_id, slot, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid, own_tags)
