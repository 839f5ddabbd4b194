-- Lines sent alone say so in x_Lone; 0 stands for lines from before exports were known: together they are the oldest bill of
-- their period, and count until a later one replaces it. The names of period and export are there for the view cost_row alone.
ALTER TABLE cost_fact
    ADD COLUMN IF NOT EXISTS x_BillingPeriod LowCardinality(String),
    ADD COLUMN IF NOT EXISTS x_ExportId LowCardinality(String),
    ADD COLUMN IF NOT EXISTS x_Lone UInt8
