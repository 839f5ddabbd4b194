-- Commitments of the inventory as they are now, at most 5,000: resources of {types} that were not deleted, in {accounts}, {providers} and
-- {regions} (an empty list means all), and within {scope_accounts} if {scoped} is 1. One row
-- per commitment, with its end like commitment_resources.sql. Read by GET /reports/commitments.
SELECT resource_uid AS uid, cloud_account_id, provider, type, name, region,
    toString(toDate32(observed_at)) AS observed_on,
    if(specs['end'] != '', specs['end'], specs['expires_at']) AS ends_at,
    specs['days_to_end'] AS days_to_end,
    specs['created_at'] AS starts_at,
    specs['reserved_type'] AS reserved_type,
    specs['reserved_count'] AS reserved_count,
    specs['commitment_hourly'] AS commitment_hourly
FROM resource_state FINAL
WHERE org_id = {org:String} AND deleted_at IS NULL AND type IN {types:Array(String)}
    AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})
    AND (empty({providers:Array(String)}) OR provider IN {providers:Array(String)})
    AND (empty({regions:Array(String)}) OR region IN {regions:Array(String)})
    AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)})
ORDER BY uid, observed_at, cloud_account_id
LIMIT 5000
