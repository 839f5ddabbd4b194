-- What a rule for shared costs would select: one row per month, team and the rule that distributes the cost now, separately for costs that
-- the conditions {facts}, {keys}, {operators} and {alternatives} select (by position, as in shared_cost_rule). `ranged_usd` is the cost
-- {cost} from {since} on, `basis_usd` the cost {basis} of the whole months {from} to {to}; both are billed_cost, effective_cost,
-- contracted_cost or list_cost, in US dollars. Read by the preview of a rule for shared costs.
WITH
    arrayZip({facts:Array(String)}, {keys:Array(String)}, {operators:Array(String)}, {alternatives:Array(Array(String))}) AS conditions,
    (value, op, wanted) -> multiIf(
        op IN ('in', 'equals'), has(wanted, value),
        op IN ('not_in', 'not_equals'), NOT has(wanted, value),
        op = 'contains', arrayExists(v -> position(value, v) > 0, wanted),
        op = 'starts_with', arrayExists(v -> startsWith(value, v), wanted),
        op = 'ends_with', arrayExists(v -> endsWith(value, v), wanted),
        op = 'exists', value != '',
        value = '') AS holds
SELECT
    formatDateTime(c.month, '%Y-%m') AS period,
    c.team_id AS team_id,
    c.policy_id AS policy_id,
    toUInt8(arrayAll(
        need -> holds(multiIf(
            need.1 = 'line.service', lowerUTF8(c.service_name),
            need.1 = 'line.cloud_account_id', lowerUTF8(c.cloud_account_id),
            need.1 = 'line.billing_account', lowerUTF8(c.billing_account),
            need.1 = 'line.sub_account', lowerUTF8(c.sub_account),
            need.1 = 'line.charge_category', lowerUTF8(c.charge_category),
            tagged.tags[need.2]), need.3, need.4),
        conditions)) AS selected,
    sum(c.basis) AS basis_usd,
    sum(c.ranged) AS ranged_usd
FROM
(
    SELECT toStartOfMonth(day) AS month, team_id, policy_id, cloud_account_id, billing_account, sub_account, service_name, charge_category, resource_uid,
        sum({basis:Identifier}) AS basis, sumIf({cost:Identifier}, day >= {since:Date32}) AS ranged
    FROM cost_attributed(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = '')
    WHERE lines > 0
    GROUP BY month, team_id, policy_id, cloud_account_id, billing_account, sub_account, service_name, charge_category, resource_uid
) AS c
LEFT ANY JOIN
(
    SELECT cloud_account_id, resource_uid, CAST((groupArray(key), groupArray(value)), 'Map(String, String)') AS tags
    FROM
    (
        SELECT cloud_account_id, resource_uid, lowerUTF8(tag_key) AS key, lowerUTF8(argMin(tag_value, toString(tag_key))) AS value
        FROM resource_tags(org = {org:String})
        WHERE has({keys:Array(String)}, key)
        GROUP BY cloud_account_id, resource_uid, key
    )
    GROUP BY cloud_account_id, resource_uid
) AS tagged ON tagged.cloud_account_id = c.cloud_account_id AND tagged.resource_uid = c.resource_uid
GROUP BY period, team_id, policy_id, selected
ORDER BY period, team_id, policy_id, selected
