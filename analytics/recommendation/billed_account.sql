-- Cost of an account by {cost} in the 30 days before {today}, in US dollars, and the part of resources that lack one of the tags {keys},
-- in upper or lower case: one row. Costs without a resource are not in that part. Read by the sweep of recommendations.
SELECT
    toFloat64(sum(cost)) AS usd,
    toFloat64(sumIf(cost, notEmpty(uid))) AS resource_usd,
    toFloat64(sumIf(cost, notEmpty(uid) AND NOT hasAll(tags.keys, arrayMap(k -> lower(k), {keys:Array(String)})))) AS untagged_usd,
    toUInt16(max(day_count)) AS days
FROM
(
    SELECT resource_uid AS uid, sum({cost:Identifier}) AS cost
    FROM cost_daily_slot
    WHERE org_id = {org:String} AND cloud_account_id = {account:String} AND day BETWEEN {today:Date32} - 30 AND {today:Date32} - 1
        AND edition IN
        (
            SELECT edition FROM cost_day FINAL
            WHERE org_id = {org:String} AND day BETWEEN {today:Date32} - 30 AND {today:Date32} - 1
        )
    GROUP BY uid
) AS billed
LEFT ANY JOIN
(
    SELECT resource_uid, groupUniqArray(lower(toString(tag_key))) AS keys
    FROM resource_tags(org = {org:String})
    WHERE cloud_account_id = {account:String} AND notEmpty(tag_value)
    GROUP BY resource_uid
) AS tags ON tags.resource_uid = billed.uid
CROSS JOIN
(
    SELECT uniqExact(day) AS day_count
    FROM cost_service_daily_slot
    WHERE org_id = {org:String} AND cloud_account_id = {account:String} AND day BETWEEN {today:Date32} - 30 AND {today:Date32} - 1
        AND edition IN
        (
            SELECT edition FROM cost_day FINAL
            WHERE org_id = {org:String} AND day BETWEEN {today:Date32} - 30 AND {today:Date32} - 1
        )
) AS reach
HAVING max(day_count) > 0
