-- Who said what a unit of BillingCurrency is worth: `bill`, or `given` by whoever sent it; empty for US dollars and for lines from before.
ALTER TABLE bill_line
    ADD COLUMN IF NOT EXISTS x_UsdRateSource LowCardinality(String)
