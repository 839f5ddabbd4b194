-- Facts for allocation rules about resources that only bills know: one row per account and resource, from its newest day with costs, with
-- its effective tags. {editions} keeps only resources with costs in these sums, none of them before the day {from}; an empty list means
-- all since {from}. Read by the allocation of resources to teams.
-- Marks: editions.
SELECT
    b.cloud_account_id AS cloud_account_id,
    b.resource_uid AS resource_uid,
    b.provider AS provider,
    b.type AS type,
    b.region AS region,
    '' AS name,
    '' AS instance_type,
    '' AS resource_group,
    mapUpdate(
        mapUpdate(
            CAST(accepted.auto, 'Map(LowCardinality(String), String)'), CAST(accepted.smart, 'Map(LowCardinality(String), String)')),
        tagged.tags) AS tags
FROM
(
    SELECT
        cloud_account_id, resource_uid, argMax(s.provider, (day, s.provider)) AS provider,
        argMax(resource_type, (day, resource_type)) AS type, argMax(s.region, (day, s.region)) AS region
    FROM cost_daily_slot AS s
    WHERE org_id = {org:String} AND day >= {from:Date32} AND resource_uid != ''
        AND edition IN (SELECT edition FROM cost_day FINAL WHERE org_id = {org:String} AND day >= {from:Date32})
        /*if editions*/AND (cloud_account_id, resource_uid) IN
        (
            SELECT cloud_account_id, resource_uid
            FROM cost_daily_slot
            WHERE org_id = {org:String} AND day >= {from:Date32} AND edition IN
            (
                SELECT edition
                FROM cost_day FINAL
                WHERE org_id = {org:String} AND day >= {from:Date32} AND toString(edition) IN {editions:Array(String)}
            )
        )/*end*/
        AND (cloud_account_id, resource_uid) NOT IN
            (SELECT cloud_account_id, resource_uid FROM resource_state WHERE org_id = {org:String})
    GROUP BY cloud_account_id, resource_uid
) AS b
LEFT ANY JOIN (SELECT cloud_account_id, resource_uid, tags FROM billed_tag FINAL WHERE org_id = {org:String}) AS tagged
    ON tagged.cloud_account_id = b.cloud_account_id AND tagged.resource_uid = b.resource_uid
LEFT ANY JOIN
(
    SELECT resource_uid, anyIf(tags, source = 'smart') AS smart, anyIf(tags, source = 'auto') AS auto
    FROM accepted_tag FINAL
    WHERE org_id = {org:String}
    GROUP BY resource_uid
) AS accepted ON accepted.resource_uid = b.resource_uid
