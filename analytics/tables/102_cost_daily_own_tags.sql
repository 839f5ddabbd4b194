-- The tags that lines without a resource carry themselves: JSON of an object whose keys are sorted, empty for none and for lines of a
-- resource, whose tags are the resource's. Lines that differ in them alone are rows of their own. Days that were computed before have none
-- until they are computed again. Written by the cost rollup.
ALTER TABLE cost_daily_slot
    ADD COLUMN IF NOT EXISTS own_tags LowCardinality(String),
    MODIFY ORDER BY (org_id, day, cloud_account_id, slot, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid, own_tags)
