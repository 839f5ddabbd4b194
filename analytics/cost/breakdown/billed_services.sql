-- Which of the services {names} any bill of an organization has, or had, in order.
SELECT DISTINCT toString(service_name) AS service_name
FROM cost_service_daily_slot
WHERE org_id = {org:String} AND service_name IN {names:Array(String)}
ORDER BY service_name
