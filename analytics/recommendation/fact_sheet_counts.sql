-- How many sheets there are from {from} to {to} of each type of resource and layout of facts, how many of them were worked out later,
-- and of which days they are. Sheets that were written twice may count twice until their parts are merged.
SELECT resource_type, layout, toUInt32(count()) AS sheets, toUInt32(sum(is_recalled)) AS recalled,
    toString(min(day)) AS first_day, toString(max(day)) AS last_day
FROM fact_sheet
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
GROUP BY resource_type, layout
ORDER BY resource_type, layout
