-- How many resources were in the inventory at any time from one day to another, both included, or had a line of a bill on one of them.
-- The parameters are those of the view cost_slice.
SELECT uniqExact(cloud_account_id, resource_uid) AS resources
FROM
(
    SELECT cloud_account_id, resource_uid
    FROM cost_slice(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    WHERE resource_uid != '' AND lines > 0
    UNION ALL
    SELECT cloud_account_id, resource_uid
    FROM resource_slice(
        org = {org:String}, providers = {providers:Array(String)}, accounts = {accounts:Array(String)},
        regions = {regions:Array(String)}, types = {types:Array(String)}, teams = {teams:Array(String)},
        scoped = {scoped:UInt8}, scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)})
    WHERE toDate32(first_seen_at) <= {to:Date32} AND (deleted_at IS NULL OR toDate32(deleted_at) >= {from:Date32})
        AND (empty({tag_keys:Array(String)}) OR (cloud_account_id, resource_uid) IN
        (
            SELECT cloud_account_id, resource_uid
            FROM resource_tags(org = {org:String})
            GROUP BY cloud_account_id, resource_uid
            HAVING length({tag_keys:Array(String)}) = sum(arrayCount((k, v) -> k = tag_key AND (v = '' OR v = tag_value),
                {tag_keys:Array(String)}, {tag_values:Array(String)}))
        ))
)
