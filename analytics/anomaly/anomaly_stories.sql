-- A page of the stories in the anomalies of some days, and their total number: one row per story. Anomalies of a day that have one cause
-- are one story, as detection found it (docs/anomalies.md). Records of older versions have no story: the cause of a resource is then the
-- resource itself, the cause of anything else the resource with the largest increase if that is at least half of the excess. An
-- organization without such a resource goes with the account of the largest excess that has none either, if that is at least half of its
-- own. Suppressed anomalies only go with suppressed ones.
-- `id` is the leading anomaly: for a story of one resource the narrowest (a resource before a group, a team, an account and the
-- organization; of one type the one with the lowest cost), for any other the widest, of one type the one with the highest cost. `folded`
-- are the others in that order.
-- {types}, {severities}, {reviews}, {recurring} and {min_usd} filter by the leading anomaly, {accounts} and {teams} by any in the story;
-- sorting and the other parameters are those of anomaly_page. {scoped} 1 keeps only anomalies of {scope_accounts} and {scope_teams}. {of}
-- keeps only the story of this anomaly, '' means any. Read by GET /reports/anomalies.
WITH seen AS
(
    SELECT
        id, date, anomaly_type AS type, anomaly_key AS key, severity, if(review_state = '', 'none', review_state) AS review,
        anomaly_state.suppressed AS is_suppressed, anomaly_state.story AS found_story, recurrence, cloud_account_id, team_id, actual_usd,
        toDecimal128(toString(actual_usd), 8) - toDecimal128(toString(expected_usd), 8) AS excess_usd,
        toDecimal128(toString(JSONExtractFloat(top_resources, 1, 'deltaUSD')), 8) AS top_usd,
        multiIf(type = 'resource', key, 2 * top_usd >= excess_usd, JSONExtractString(top_resources, 1, 'resourceUid'), '') AS culprit,
        indexOf(['resource', 'resource_group', 'team', 'cloud_account', 'org'], type) AS breadth
    FROM anomaly_state FINAL
    WHERE org_id = {org:String} AND date BETWEEN {from:Date32} AND {to:Date32} AND withdrawn = 0
        AND ({suppressed:UInt8} OR anomaly_state.suppressed = 0)
        AND ({scoped:UInt8} = 0
            OR cloud_account_id IN {scope_accounts:Array(String)} AND anomaly_type IN ('cloud_account', 'resource')
            OR team_id IN {scope_teams:Array(String)} AND anomaly_type IN ('team', 'resource'))
),
told AS
(
    SELECT
        *,
        max(if(type = 'cloud_account' AND culprit = '', (excess_usd, key), (toDecimal128(0, 8), '')))
            OVER (PARTITION BY date, is_suppressed) AS account,
        multiIf(
            found_story != '', found_story,
            culprit != '', concat('resource/', culprit),
            type = 'org' AND account.2 != '' AND 2 * account.1 >= excess_usd, concat('cloud_account/', account.2),
            concat(type, '/', key)) AS cause,
        concat(toString(date), if(is_suppressed = 1, '/suppressed/', '/'), cause) AS story,
        if(found_story = '' OR startsWith(found_story, 'resource/'), 1, -1) AS sign
    FROM seen
)
SELECT
    story AS story_key, lead.4 AS id, arrayMap(one -> one.4, arraySlice(ranked, 2)) AS folded, count() OVER () AS total
FROM
(
    SELECT
        story,
        arraySort(groupArray((sign * breadth, sign * actual_usd, key, id, date, type, severity, review, excess_usd, recurrence))) AS ranked,
        ranked[1] AS lead,
        max(empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)}) AS is_of_accounts,
        max(empty({teams:Array(String)}) OR team_id IN {teams:Array(String)}) AS is_of_teams
    FROM told
    GROUP BY story
)
WHERE is_of_accounts AND is_of_teams
    AND ({of:String} = '' OR arrayExists(one -> one.4 = {of:String}, ranked))
    AND (empty({types:Array(String)}) OR lead.6 IN {types:Array(String)})
    AND (empty({severities:Array(String)}) OR lead.7 IN {severities:Array(String)})
    AND (empty({reviews:Array(String)}) OR lead.8 IN {reviews:Array(String)})
    AND ({recurring:UInt8} OR lead.10 = '')
    AND ({min_usd:Decimal(38, 14)} = 0 OR lead.9 >= {min_usd:Decimal(38, 14)})
ORDER BY
    if({asc:UInt8} = 1, 1, -1) * if({sort_by:String} = 'excess', lead.9, toDecimal128(toInt32(lead.5), 8)),
    lead.5 DESC, lead.6, lead.3
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
