-- Stores the tags that rules for shared costs read, for reports of the month {period} (202601 for January 2026), unless it is already
-- closed. Rows of an earlier attempt that no longer apply become empty. Run by the snapshot job.
INSERT INTO closed_tag (org_id, period, cloud_account_id, resource_uid, tags)
SELECT {org:String}, {period:UInt32}, cloud_account_id, resource_uid, tags
FROM
(
    SELECT cloud_account_id, resource_uid, tags
    FROM shared_tags(org = {org:String}, from = {from:Date32}, to = {to:Date32})
    WHERE period = 0
    UNION ALL
    SELECT cloud_account_id, resource_uid, CAST(map(), 'Map(String, String)') AS tags
    FROM closed_tag FINAL
    WHERE org_id = {org:String} AND period = {period:UInt32} AND (cloud_account_id, resource_uid) NOT IN
    (
        SELECT cloud_account_id, resource_uid
        FROM shared_tags(org = {org:String}, from = {from:Date32}, to = {to:Date32})
        WHERE period = 0
    )
)
WHERE {period:UInt32} NOT IN (SELECT period FROM snapshot_state WHERE org_id = {org:String})
