-- One row a line of an export of a bill, with the columns of cost_fact. An export is a snapshot of a billing period of an account,
-- `x_BillingPeriod` YYYY-MM: which of them counts is what cost_day says of each day. The same (organization, account, period, export,
-- day, line) again replaces the row. Exports that were replaced are swept after a while.
-- Written by the account actor, one row a line; swept by `sweepBills`.
CREATE TABLE IF NOT EXISTS bill_line AS cost_fact
ENGINE = ReplacingMergeTree(x_Version, x_Deleted)
PARTITION BY x_BillingPeriod
ORDER BY (x_OrgId, x_CloudAccountId, x_BillingPeriod, x_ExportId, x_Day, x_LineId)
SETTINGS non_replicated_deduplication_window = 0
