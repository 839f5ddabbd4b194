-- shared_lines of rules that are sent with the query: the same rows, without reading the rules' tables. {rules} are tuples of the month (0
-- for rules that count in all months except {closed}), the rule, and its conditions (fact, tag key, operator, values), oldest rule first.
-- Read by cost_attributed, with the data of analytics/attribution/sharing.ts.
-- Marks: rule_accounts.
CREATE OR REPLACE VIEW given_lines AS
SELECT period, cloud_account_id, service_name, charge_category, /*if rule_accounts*/billing_account, sub_account,/*end*/
    arrayMap(r -> (r.2, arrayMap(c -> (c.2, c.3, c.4), arrayFilter(c -> c.1 = 'res.tags', r.3))), arrayFilter(
        rule -> rule.1 = if(has({closed:Array(UInt32)}, period), period, 0) AND arrayAll(
            c -> c.1 = 'res.tags' OR multiIf(
                c.3 IN ('in', 'equals'), has(c.4, lowerUTF8(multiIf(c.1 = 'line.service', service_name, c.1 = 'line.cloud_account_id', cloud_account_id, /*if rule_accounts*/c.1 = 'line.billing_account', billing_account, c.1 = 'line.sub_account', sub_account, /*end*/charge_category))),
                c.3 IN ('not_in', 'not_equals'), NOT has(c.4, lowerUTF8(multiIf(c.1 = 'line.service', service_name, c.1 = 'line.cloud_account_id', cloud_account_id, /*if rule_accounts*/c.1 = 'line.billing_account', billing_account, c.1 = 'line.sub_account', sub_account, /*end*/charge_category))),
                c.3 = 'contains', arrayExists(v -> position(lowerUTF8(multiIf(c.1 = 'line.service', service_name, c.1 = 'line.cloud_account_id', cloud_account_id, /*if rule_accounts*/c.1 = 'line.billing_account', billing_account, c.1 = 'line.sub_account', sub_account, /*end*/charge_category)), v) > 0, c.4),
                c.3 = 'starts_with', arrayExists(v -> startsWith(lowerUTF8(multiIf(c.1 = 'line.service', service_name, c.1 = 'line.cloud_account_id', cloud_account_id, /*if rule_accounts*/c.1 = 'line.billing_account', billing_account, c.1 = 'line.sub_account', sub_account, /*end*/charge_category)), v), c.4),
                c.3 = 'ends_with', arrayExists(v -> endsWith(lowerUTF8(multiIf(c.1 = 'line.service', service_name, c.1 = 'line.cloud_account_id', cloud_account_id, /*if rule_accounts*/c.1 = 'line.billing_account', billing_account, c.1 = 'line.sub_account', sub_account, /*end*/charge_category)), v), c.4),
                c.3 = 'exists', lowerUTF8(multiIf(c.1 = 'line.service', service_name, c.1 = 'line.cloud_account_id', cloud_account_id, /*if rule_accounts*/c.1 = 'line.billing_account', billing_account, c.1 = 'line.sub_account', sub_account, /*end*/charge_category)) != '',
                lowerUTF8(multiIf(c.1 = 'line.service', service_name, c.1 = 'line.cloud_account_id', cloud_account_id, /*if rule_accounts*/c.1 = 'line.billing_account', billing_account, c.1 = 'line.sub_account', sub_account, /*end*/charge_category)) = ''),
            rule.3),
        {rules:Array(Tuple(UInt32, String, Array(Tuple(String, String, String, Array(String)))))})) AS rules
FROM charged_services(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String})
WHERE notEmpty(rules)
