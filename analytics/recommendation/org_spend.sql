-- What an organization spent by {cost} over the 30 days before {today}; no row where nothing was billed.
SELECT toFloat64(sum({cost:Identifier})) AS usd
FROM cost_service_daily_slot
WHERE org_id = {org:String} AND day BETWEEN {today:Date32} - 30 AND {today:Date32} - 1
    AND edition IN
    (
        SELECT edition FROM cost_day FINAL
        WHERE org_id = {org:String} AND day BETWEEN {today:Date32} - 30 AND {today:Date32} - 1
    )
HAVING count() > 0
