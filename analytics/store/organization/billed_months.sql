-- What an organization was billed by month, in US dollars: one row per month.
SELECT toString(toStartOfMonth(day)) AS month, toString(sum(billed_cost)) AS billed_usd
FROM cost_daily
WHERE org_id = {org:String}
GROUP BY month
ORDER BY month
