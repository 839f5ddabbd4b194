-- Which rules for shared costs may select a line, by the values of the line itself: one row per month, account, service and charge
-- category that any rule may select, and per billing account and sub-account if a rule needs them. `rules` has them oldest first, each
-- with the tags that it requires, in lower case. Parameters: {org}, {from}, {to}, {as_of}. Read by cost_attributed.
-- Marks: rule_accounts.
CREATE OR REPLACE VIEW shared_lines AS
SELECT period, cloud_account_id, service_name, charge_category, /*if rule_accounts*/billing_account, sub_account,/*end*/
    arrayMap(r -> (r.2, r.3), arraySort(groupArray((created_at, policy_id, tag_conditions)))) AS rules
FROM
(
    SELECT line.period AS period, cloud_account_id, service_name, charge_category, /*if rule_accounts*/billing_account, sub_account,/*end*/ created_at, policy_id,
        arrayZip(facts, tag_keys, operators, values) AS conditions,
        arrayMap(c -> (c.2, c.3, c.4), arrayFilter(c -> c.1 = 'res.tags', conditions)) AS tag_conditions
    FROM charged_services(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String}) AS line
    INNER JOIN shared_rules(org = {org:String}, from = {from:Date32}, to = {to:Date32}) AS rule ON rule.period = line.period
    WHERE arrayAll(
        c -> c.1 = 'res.tags' OR multiIf(
            c.3 IN ('in', 'equals'), has(c.4, lowerUTF8(multiIf(c.1 = 'line.service', service_name, c.1 = 'line.cloud_account_id', cloud_account_id, /*if rule_accounts*/c.1 = 'line.billing_account', billing_account, c.1 = 'line.sub_account', sub_account, /*end*/charge_category))),
            c.3 IN ('not_in', 'not_equals'), NOT has(c.4, lowerUTF8(multiIf(c.1 = 'line.service', service_name, c.1 = 'line.cloud_account_id', cloud_account_id, /*if rule_accounts*/c.1 = 'line.billing_account', billing_account, c.1 = 'line.sub_account', sub_account, /*end*/charge_category))),
            c.3 = 'contains', arrayExists(v -> position(lowerUTF8(multiIf(c.1 = 'line.service', service_name, c.1 = 'line.cloud_account_id', cloud_account_id, /*if rule_accounts*/c.1 = 'line.billing_account', billing_account, c.1 = 'line.sub_account', sub_account, /*end*/charge_category)), v) > 0, c.4),
            c.3 = 'starts_with', arrayExists(v -> startsWith(lowerUTF8(multiIf(c.1 = 'line.service', service_name, c.1 = 'line.cloud_account_id', cloud_account_id, /*if rule_accounts*/c.1 = 'line.billing_account', billing_account, c.1 = 'line.sub_account', sub_account, /*end*/charge_category)), v), c.4),
            c.3 = 'ends_with', arrayExists(v -> endsWith(lowerUTF8(multiIf(c.1 = 'line.service', service_name, c.1 = 'line.cloud_account_id', cloud_account_id, /*if rule_accounts*/c.1 = 'line.billing_account', billing_account, c.1 = 'line.sub_account', sub_account, /*end*/charge_category)), v), c.4),
            c.3 = 'exists', lowerUTF8(multiIf(c.1 = 'line.service', service_name, c.1 = 'line.cloud_account_id', cloud_account_id, /*if rule_accounts*/c.1 = 'line.billing_account', billing_account, c.1 = 'line.sub_account', sub_account, /*end*/charge_category)) != '',
            lowerUTF8(multiIf(c.1 = 'line.service', service_name, c.1 = 'line.cloud_account_id', cloud_account_id, /*if rule_accounts*/c.1 = 'line.billing_account', billing_account, c.1 = 'line.sub_account', sub_account, /*end*/charge_category)) = ''),
        conditions)
)
GROUP BY period, cloud_account_id, service_name, charge_category/*if rule_accounts*/, billing_account, sub_account/*end*/
