-- Savings from {from} to {to} by {column}: source, rule_id, category, cloud_account_id, resource_uid, team_id or group_id. One row per
-- value, '' for none; a resource counts for each resource group that it is in. Amounts are exact US dollars: estimated, observed and
-- verified savings, which are never added to each other, and the reported figure. `proved_days` are days of claims that bills verify,
-- `unproved_days` days with a reason why they do not; `weighed_*` are of verified days that also have an estimate, `weighed_claims` the
-- claims that have any. `causes` are IDs of sources, such as schedules, an empty list means all. Teams are those that costs of the day
-- belong to; the filters are those of the view cost_slice. Read by GET /reports/savings.
-- Marks: attributed, grouped.
SELECT
    {column:Identifier} AS value,
    sum(ifNull(estimated, toDecimal128(0, 14))) AS estimated_usd,
    sum(ifNull(observed, toDecimal128(0, 14))) AS observed_usd,
    sum(ifNull(verified, toDecimal128(0, 14))) AS verified_usd,
    sum(saved) AS saved_usd,
    toUInt32(countIf(isNotNull(verified))) AS proved_days,
    toUInt32(countIf(isNull(verified) AND reason != '')) AS unproved_days,
    sumIf(ifNull(estimated, toDecimal128(0, 14)), isNotNull(verified)) AS weighed_estimated_usd,
    sumIf(ifNull(verified, toDecimal128(0, 14)), isNotNull(estimated)) AS weighed_verified_usd,
    toUInt32(uniqExactIf(claim_id, isNotNull(verified) AND isNotNull(estimated))) AS weighed_claims
FROM
(
    SELECT source, rule_id, category, s.cloud_account_id AS cloud_account_id, s.resource_uid AS resource_uid,
        estimated, observed, verified, saved, reason, claim_id,
        /*if attributed*/part.team_id/*else '' end*/ AS team_id,
        /*if grouped*/arrayJoin(if({column:String} != 'group_id' OR empty(held.groups), [''], held.groups))/*else '' end*/ AS group_id
    FROM
    (
        SELECT *
        FROM saving_daily FINAL
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
            AND (isNotNull(estimated) OR isNotNull(observed) OR isNotNull(verified) OR reason != '' OR saved != 0)
            AND (empty({providers:Array(String)}) OR provider IN {providers:Array(String)} OR has({providers:Array(String)}, '*') AND provider NOT IN ('', 'aws', 'gcp', 'azure'))
            AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})
            AND (empty({regions:Array(String)}) OR region IN {regions:Array(String)})
            AND (empty({types:Array(String)}) OR resource_type IN {types:Array(String)})
            AND (empty({causes:Array(String)}) OR source_id IN {causes:Array(String)})
            AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)} OR notEmpty({scope_teams:Array(String)}))
    ) AS s
    /*if attributed*/
    INNER JOIN
    (
        SELECT day, cloud_account_id, provider, region, resource_type, resource_uid, any(team_id) AS team_id
        FROM cost_slice(
            org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = '',
            providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
            types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
            scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
            tag_keys = [], tag_values = [])
        WHERE lines = 0
        GROUP BY day, cloud_account_id, provider, region, resource_type, resource_uid
    ) AS part ON part.day = s.day AND part.cloud_account_id = s.cloud_account_id AND part.provider = s.provider
        AND part.region = s.region AND part.resource_type = s.resource_type AND part.resource_uid = s.resource_uid
    /*end*/
    /*if grouped*/
    LEFT JOIN
    (
        SELECT resource_uid, groupArray(group_id) AS groups
        FROM resource_group_member FINAL
        WHERE org_id = {org:String} AND removed = 0
            AND group_id IN (SELECT group_id FROM resource_group_state FINAL WHERE org_id = {org:String} AND deleted = 0)
        GROUP BY resource_uid
    ) AS held ON held.resource_uid = s.resource_uid
    /*end*/
)
GROUP BY value
ORDER BY value
