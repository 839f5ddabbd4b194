-- Editions of the sums of each day: one row per account and day, with the time of publication in milliseconds since 1970. The edition
-- changes when the day is recomputed. Read by the allocation of resources to teams.
SELECT toString(edition) AS edition, toString(day) AS day, toUnixTimestamp64Milli(published_at) AS published_at
FROM cost_day FINAL
WHERE org_id = {org:String}
