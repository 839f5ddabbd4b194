-- Whose cost it is and who was billed. cloud_account_id is the usage account: the connected account that the sub-account of a line is,
-- else the one that was billed. billing_account_id is the account whose bill the lines came in, empty where that is the usage account;
-- sub_account_id is FOCUS's SubAccountId. A day is worked out, and has one edition, for the account that was billed. Days that were
-- computed before have none of this until they are computed again. Written by the cost rollup.
ALTER TABLE cost_daily_slot
    ADD COLUMN IF NOT EXISTS billing_account_id LowCardinality(String),
    ADD COLUMN IF NOT EXISTS sub_account_id LowCardinality(String),
    MODIFY ORDER BY (org_id, day, cloud_account_id, slot, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid, own_tags, billing_account_id, sub_account_id),
    MODIFY COLUMN edition UInt64 MATERIALIZED sipHash64(if(billing_account_id = '', cloud_account_id, billing_account_id), day, generation)
