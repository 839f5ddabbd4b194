-- The tag keys of what cost something or was there in the range: how many resources carry the key, and what all costs that carry it
-- come to, costs without a resource included.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost; the other parameters are those of the view cost_slice.
-- What has the same keys is added up before it is told apart by key: resources are many, sets of keys few. A resource of a cluster may
-- have several, and counts once.
SELECT arrayJoin(keys) AS tag_key,
    /*if divided*/uniqExactArray(resources)/*else sum(resources) end*/ AS tagged,
    sum(cost) AS cost_usd
FROM
(
    SELECT mapKeys(tags) AS keys, sum({cost:Identifier}) AS cost,
        /*if divided*/groupUniqArrayIf((cloud_account_id, resource_uid), resource_uid != '')/*else countIf(resource_uid != '') end*/ AS resources
    FROM tag_costs(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    GROUP BY keys
)
GROUP BY tag_key
ORDER BY cost_usd DESC, tag_key
