-- Lines of bill exports: one row per line, with the columns of cost_fact, in US dollars. An export is a snapshot of a billing period of an
-- account; `x_BillingPeriod` is YYYY-MM. cost_day has for each day which export counts. The same (organization, account, period, export,
-- day, line) replaces the row. Replaced exports are deleted later. Written by the account actor; deleted by `sweepBills`.
CREATE TABLE IF NOT EXISTS bill_line AS cost_fact
ENGINE = ReplacingMergeTree(x_Version, x_Deleted)
PARTITION BY x_BillingPeriod
ORDER BY (x_OrgId, x_CloudAccountId, x_BillingPeriod, x_ExportId, x_Day, x_LineId)
SETTINGS non_replicated_deduplication_window = 0
