-- Which of the services {names} are or were in any bill of an organization, in order: one row per service. Sent with queries by service
-- (analytics/attribution/service-name.ts).
SELECT DISTINCT toString(service_name) AS service_name
FROM cost_service_daily_slot
WHERE org_id = {org:String} AND service_name IN {names:Array(String)}
ORDER BY service_name
