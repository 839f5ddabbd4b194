-- Tags of lines without a resource, as in cost_daily_slot. Written by the cost rollup.
ALTER TABLE cost_daily_kept
    ADD COLUMN IF NOT EXISTS own_tags LowCardinality(String),
    MODIFY ORDER BY (org_id, day, cloud_account_id, generation, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid, own_tags)
