-- Effective tags that rules for shared costs read, keys and values in lower case: one row per resource that has any, with `period` 0 for
-- now, and one per resource and closed month from {from} to {to}, as it was then. Parameters: {org}, {from}, {to}.
CREATE OR REPLACE VIEW shared_tags AS
SELECT toUInt32(0) AS period, cloud_account_id, resource_uid,
    CAST((groupArray(key), groupArray(value)), 'Map(String, String)') AS tags
FROM
(
    SELECT cloud_account_id, resource_uid, lowerUTF8(tag_key) AS key, lowerUTF8(argMin(tag_value, toString(tag_key))) AS value
    FROM resource_tags(org = {org:String})
    WHERE key IN (SELECT arrayJoin(tag_keys) FROM shared_cost_rule FINAL WHERE org_id = {org:String} AND enabled = 1)
    GROUP BY cloud_account_id, resource_uid, key
)
GROUP BY cloud_account_id, resource_uid
UNION ALL
SELECT period, cloud_account_id, resource_uid, tags
FROM closed_tag FINAL
WHERE org_id = {org:String} AND period BETWEEN toYYYYMM({from:Date32}) AND toYYYYMM({to:Date32})
    AND period IN (SELECT period FROM snapshot_state FINAL WHERE org_id = {org:String})
