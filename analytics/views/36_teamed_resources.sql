-- Resources that have a team of their own, by hand (in any account: '') or by rule: one row per resource now (period 0), and one per
-- resource and closed month from {from} to {to}. Parameters: {org}, {from}, {to}. Read by cost_attributed and teamed_owners.
CREATE OR REPLACE VIEW teamed_resources AS
SELECT toUInt32(0) AS period, '' AS cloud_account_id, resource_uid FROM team_assignments(org = {org:String})
UNION ALL
SELECT toUInt32(0) AS period, toString(cloud_account_id) AS cloud_account_id, resource_uid FROM allocations(org = {org:String})
UNION ALL
SELECT period, '' AS cloud_account_id, resource_uid
FROM closed_assignment FINAL
WHERE org_id = {org:String} AND team_id != '' AND period BETWEEN toYYYYMM({from:Date32}) AND toYYYYMM({to:Date32})
UNION ALL
SELECT period, toString(cloud_account_id) AS cloud_account_id, resource_uid
FROM closed_allocation FINAL
WHERE org_id = {org:String} AND team_id != '' AND period BETWEEN toYYYYMM({from:Date32}) AND toYYYYMM({to:Date32})
