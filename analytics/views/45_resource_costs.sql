-- The resources that cost something or were there in the range, narrowed as in cost_slice, with what they cost and what was saved
-- on them. Where tags are asked for, only what cost something.
CREATE OR REPLACE VIEW resource_costs AS
/*if no plain*/
SELECT
    cloud_account_id, resource_uid, sum(billed_cost) AS billed_cost, sum(effective_cost) AS effective_cost,
    sum(contracted_cost) AS contracted_cost, sum(list_cost) AS list_cost,
    sum(saved) AS saved, sum(estimated_saved) AS estimated_saved, sum(observed_saved) AS observed_saved, sum(verified_saved) AS verified_saved
FROM
(
    SELECT cloud_account_id, resource_uid, billed_cost, effective_cost, contracted_cost, list_cost, saved,
        estimated_saved, observed_saved, verified_saved
    FROM cost_slice(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    WHERE resource_uid != ''
    /*if no tags*/
    UNION ALL
    SELECT cloud_account_id, resource_uid, toDecimal128(0, 14) AS billed_cost, toDecimal128(0, 14) AS effective_cost,
        toDecimal128(0, 14) AS contracted_cost, toDecimal128(0, 14) AS list_cost,
        toDecimal128(0, 14) AS saved, toDecimal128(0, 14) AS estimated_saved, toDecimal128(0, 14) AS observed_saved,
        toDecimal128(0, 14) AS verified_saved
    FROM present_resources(
        org = {org:String}, from = {from:Date32}, to = {to:Date32},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    WHERE empty({tag_keys:Array(String)})
    /*end*/
)
GROUP BY cloud_account_id, resource_uid
/*else SELECT cloud_account_id, resource_uid, billed_cost, effective_cost, contracted_cost, list_cost, saved, estimated_saved, observed_saved,
    verified_saved
FROM resource_sums(
    org = {org:String}, from = {from:Date32}, to = {to:Date32},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)})
WHERE resource_uid != '' end*/
