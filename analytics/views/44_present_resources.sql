-- Resources of the inventory that existed at any time from {from} to {to}, both included, with the filters of cost_slice: one row per
-- resource.
-- Marks: tags.
CREATE OR REPLACE VIEW present_resources AS
SELECT cloud_account_id, resource_uid, team_id
FROM resource_slice(
        org = {org:String}, providers = {providers:Array(String)}, accounts = {accounts:Array(String)},
        regions = {regions:Array(String)}, types = {types:Array(String)}, teams = {teams:Array(String)},
        scoped = {scoped:UInt8}, scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)})
WHERE toDate32(first_seen_at) <= {to:Date32} AND (deleted_at IS NULL OR toDate32(deleted_at) >= {from:Date32})
    /*if tags*/AND (empty({tag_keys:Array(String)}) OR (cloud_account_id, resource_uid) IN
    (
        SELECT cloud_account_id, resource_uid
        FROM tagged_resources(org = {org:String}, tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    ))/*end*/
