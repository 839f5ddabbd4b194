-- What rules for shared costs distinguish lines by, as far as it is in the line: one row per month, account, service and charge category
-- that had any line from {from} to {to}, and, if a rule needs them, per billing account and sub-account. It also has combinations that
-- reports no longer count; readers match lines with these rows. Read by shared_lines and given_lines.
-- Marks: past, rule_accounts.
CREATE OR REPLACE VIEW charged_services AS
SELECT DISTINCT toYYYYMM(day) AS period, cloud_account_id, service_name, charge_category/*if rule_accounts*/,
    if(billing_account_id = '', cloud_account_id, billing_account_id) AS billing_account, sub_account_id AS sub_account/*end*/
FROM cost_service_daily_slot
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND lines > 0
/*if past*/
UNION DISTINCT
SELECT toYYYYMM(day) AS period, cloud_account_id, service_name, charge_category/*if rule_accounts*/,
    if(billing_account_id = '', cloud_account_id, billing_account_id) AS billing_account, sub_account_id AS sub_account/*end*/
FROM cost_daily_kept
WHERE {as_of:String} != '' AND org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND lines > 0
/*end*/
