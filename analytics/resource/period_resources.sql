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
    FROM present_resources(
        org = {org:String}, from = {from:Date32}, to = {to:Date32},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
)
