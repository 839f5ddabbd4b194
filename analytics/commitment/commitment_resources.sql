-- What the inventory has about the commitments {uids} in {accounts} (an empty list means all): one row per commitment, with its end as of
-- `observed_at`, as a time (`end`, `expires_at`) or as the days left. Empty if unknown. Ids are also compared in lower case, because bills
-- write those of Azure in mixed case. Read by GET /reports/commitments.
SELECT resource_uid AS uid, name, region,
    toString(toDate32(observed_at)) AS observed_on,
    if(specs['end'] != '', specs['end'], specs['expires_at']) AS ends_at,
    specs['days_to_end'] AS days_to_end
FROM resource_state FINAL
WHERE org_id = {org:String} AND resource_uid IN arrayConcat({uids:Array(String)}, arrayMap(uid -> lower(uid), {uids:Array(String)}))
    AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})
ORDER BY observed_at, cloud_account_id
