-- The names of some resources, those that are gone included.
SELECT resource_uid, any(name) AS name
FROM resource_state FINAL
WHERE org_id = {org:String} AND resource_uid IN {uids:Array(String)}
GROUP BY resource_uid
