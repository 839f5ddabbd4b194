-- Which sums stand for each day of each account of an organization, another edition once they were worked out anew, and since when:
-- milliseconds since 1970.
SELECT toString(edition) AS edition, toString(day) AS day, toUnixTimestamp64Milli(published_at) AS published_at
FROM cost_day FINAL
WHERE org_id = {org:String}
