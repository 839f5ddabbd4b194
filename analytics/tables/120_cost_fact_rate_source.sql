-- Origin of the exchange rate of BillingCurrency: `bill`, or `given` by the sender; empty for US dollars and in older rows.
ALTER TABLE cost_fact
    ADD COLUMN IF NOT EXISTS x_UsdRateSource LowCardinality(String)
