-- resource_costs where neither teams nor tags nor an earlier time are asked for.
CREATE OR REPLACE VIEW resource_costs_plain AS
SELECT
    cloud_account_id, resource_uid, sum(billed_cost) AS billed_cost, sum(effective_cost) AS effective_cost,
    sum(contracted_cost) AS contracted_cost, sum(list_cost) AS list_cost, sum(saved) AS saved
FROM
(
    SELECT cloud_account_id, resource_uid, billed_cost, effective_cost, contracted_cost, list_cost, saved
    FROM cost_slice_resources(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    WHERE resource_uid != ''
    UNION ALL
    SELECT cloud_account_id, resource_uid, toDecimal128(0, 14) AS billed_cost, toDecimal128(0, 14) AS effective_cost,
        toDecimal128(0, 14) AS contracted_cost, toDecimal128(0, 14) AS list_cost, toDecimal128(0, 14) AS saved
    FROM resource_slice_plain(
            org = {org:String}, providers = {providers:Array(String)}, accounts = {accounts:Array(String)},
            regions = {regions:Array(String)}, types = {types:Array(String)}, teams = {teams:Array(String)},
            scoped = {scoped:UInt8}, scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)})
    WHERE toDate32(first_seen_at) <= {to:Date32} AND (deleted_at IS NULL OR toDate32(deleted_at) >= {from:Date32})
        AND empty({tag_keys:Array(String)})
)
GROUP BY cloud_account_id, resource_uid
