-- x_Lone is 1 for lines that were sent alone. 0 are lines stored before exports were supported: together they are the oldest bill of their
-- billing period, and count until a later one replaces it. Billing period and export are always empty here; the view cost_row needs the
-- columns.
ALTER TABLE cost_fact
    ADD COLUMN IF NOT EXISTS x_BillingPeriod LowCardinality(String),
    ADD COLUMN IF NOT EXISTS x_ExportId LowCardinality(String),
    ADD COLUMN IF NOT EXISTS x_Lone UInt8
