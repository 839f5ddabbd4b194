-- As in cost_daily_slot: the usage account, the billing account if it is another, and the sub-account. Written by the cost rollup.
ALTER TABLE cost_daily_kept
    ADD COLUMN IF NOT EXISTS billing_account_id LowCardinality(String),
    ADD COLUMN IF NOT EXISTS sub_account_id LowCardinality(String),
    MODIFY ORDER BY (org_id, day, cloud_account_id, generation, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid, own_tags, billing_account_id, sub_account_id),
    MODIFY COLUMN edition UInt64 MATERIALIZED sipHash64(if(billing_account_id = '', cloud_account_id, billing_account_id), day, generation)
