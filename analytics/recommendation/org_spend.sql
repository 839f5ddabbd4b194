-- Cost of an organization by {cost} in the 30 days before {today}, in US dollars: one row, none without a bill. Read by the sweep of
-- recommendations.
SELECT toFloat64(sum({cost:Identifier})) AS usd
FROM cost_service_daily_slot
WHERE org_id = {org:String} AND day BETWEEN {today:Date32} - 30 AND {today:Date32} - 1
    AND edition IN
    (
        SELECT edition FROM cost_day FINAL
        WHERE org_id = {org:String} AND day BETWEEN {today:Date32} - 30 AND {today:Date32} - 1
    )
HAVING count() > 0
