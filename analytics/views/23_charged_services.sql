-- What rules for shared costs tell lines apart by, as far as lines say it themselves: one row a (month, account, service, charge category, and
-- account that was billed and sub-account where any rule asks for these) that had any line, be it one that is not shown any more: who asks matches lines with these rows.
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
