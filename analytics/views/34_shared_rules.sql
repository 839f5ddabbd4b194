-- Rules for shared costs that count in each month from {from} to {to}: one row per month and rule. Open months have the current rules,
-- closed months those of their snapshot. `period` is 202601 for January 2026. Parameters: {org}, {from}, {to}.
CREATE OR REPLACE VIEW shared_rules AS
SELECT period, policy_id, created_at, facts, tag_keys, operators, values
FROM closed_shared_rule FINAL
WHERE org_id = {org:String} AND enabled = 1 AND period BETWEEN toYYYYMM({from:Date32}) AND toYYYYMM({to:Date32})
    AND period IN (SELECT period FROM snapshot_state FINAL WHERE org_id = {org:String})
UNION ALL
SELECT open AS period, policy_id, created_at, facts, tag_keys, operators, values
FROM shared_cost_rule FINAL
ARRAY JOIN arrayFilter(
    month -> NOT has((SELECT groupArray(period) FROM snapshot_state FINAL WHERE org_id = {org:String}), month),
    arrayMap(n -> toYYYYMM(addMonths(toStartOfMonth({from:Date32}), n)),
        range(toUInt32(greatest(0, 1 + dateDiff('month', {from:Date32}, {to:Date32})))))) AS open
WHERE org_id = {org:String} AND enabled = 1
