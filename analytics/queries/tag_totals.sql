-- Resources that cost something or were there in the range, and what those cost: with a tag of any key, and without.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost; the other parameters are those of the view cost_slice.
WITH charged AS
(
    SELECT cloud_account_id, resource_uid, sum({cost:Identifier}) AS cost, sum(saved) AS savings
    FROM cost_slice(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
    WHERE resource_uid != ''
    GROUP BY cloud_account_id, resource_uid
),
resource AS
(
    SELECT cloud_account_id, resource_uid, sum(cost) AS cost, sum(savings) AS savings
    FROM
    (
        SELECT * FROM charged
        UNION ALL
        SELECT cloud_account_id, resource_uid, toDecimal128(0, 14) AS cost, toDecimal128(0, 14) AS savings
        FROM resource_slice(
            org = {org:String}, providers = {providers:Array(String)}, accounts = {accounts:Array(String)},
            regions = {regions:Array(String)}, types = {types:Array(String)}, teams = {teams:Array(String)},
            scoped = {scoped:UInt8}, scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)})
        WHERE toDate32(first_seen_at) <= {to:Date32} AND (deleted_at IS NULL OR toDate32(deleted_at) >= {from:Date32})
            AND empty({tag_keys:Array(String)}) AND empty({tag_values:Array(String)})
    )
    GROUP BY cloud_account_id, resource_uid
),
tag AS
(
    SELECT * FROM resource_tags(org = {org:String})
)
SELECT
    countIf(notEmpty(t.resource_uid)) AS tagged,
    countIf(empty(t.resource_uid)) AS untagged,
    sumIf(cost, notEmpty(t.resource_uid)) AS tagged_usd,
    sumIf(cost, empty(t.resource_uid)) AS untagged_usd
FROM resource
LEFT ANY JOIN (SELECT DISTINCT cloud_account_id, resource_uid FROM tag) AS t
    ON t.cloud_account_id = resource.cloud_account_id AND t.resource_uid = resource.resource_uid
