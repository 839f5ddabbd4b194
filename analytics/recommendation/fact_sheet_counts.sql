-- The number of fact sheets from {from} to {to}, the number computed later, and their days: one row per resource type and layout of facts.
-- Sheets that were written twice may count twice until parts are merged. Read by the replay of rules (POST /what-if).
SELECT resource_type, layout, toUInt32(count()) AS sheets, toUInt32(sum(is_recalled)) AS recalled,
    toString(min(day)) AS first_day, toString(max(day)) AS last_day
FROM fact_sheet
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
GROUP BY resource_type, layout
ORDER BY resource_type, layout
