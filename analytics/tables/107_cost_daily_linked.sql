-- cloud_account_id is the usage account: the connected account of the line's sub-account, otherwise the billed account. billing_account_id
-- is the account whose bill has the lines, empty if that is the usage account; sub_account_id is SubAccountId of FOCUS. A day is computed
-- for a billed account, and has one edition for it. Older days have none of this until they are recomputed. Written by the cost rollup.
ALTER TABLE cost_daily_slot
    ADD COLUMN IF NOT EXISTS billing_account_id LowCardinality(String),
    ADD COLUMN IF NOT EXISTS sub_account_id LowCardinality(String),
    MODIFY ORDER BY (org_id, day, cloud_account_id, slot, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid, own_tags, billing_account_id, sub_account_id),
    MODIFY COLUMN edition UInt64 MATERIALIZED sipHash64(if(billing_account_id = '', cloud_account_id, billing_account_id), day, generation)
