-- resource_slice where neither teams nor a scope of teams are asked for: team_id is empty.
CREATE OR REPLACE VIEW resource_slice_plain AS
SELECT cloud_account_id, resource_uid, name, type, provider, region, first_seen_at, deleted_at, '' AS team_id
FROM resource_state FINAL
WHERE org_id = {org:String}
    AND (empty({providers:Array(String)}) OR provider IN {providers:Array(String)})
    AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})
    AND (empty({regions:Array(String)}) OR region IN {regions:Array(String)})
    AND (empty({types:Array(String)}) OR type IN {types:Array(String)})
    AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)})
    AND empty({teams:Array(String)}) AND empty({scope_teams:Array(String)})
