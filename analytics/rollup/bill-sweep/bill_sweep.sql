-- Deletes the lines of the exports {bills} (organization, account, billing period, export) of the billing period {period}.
ALTER TABLE bill_line DELETE IN PARTITION {period:String}
WHERE (x_OrgId, x_CloudAccountId, x_BillingPeriod, x_ExportId) IN {bills:Array(Tuple(String, String, String, String))}
