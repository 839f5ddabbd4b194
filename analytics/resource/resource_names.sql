-- Names of some resources, deleted ones included: one row per resource. Read by reports that show resources.
SELECT resource_uid, any(name) AS name
FROM resource_state FINAL
WHERE org_id = {org:String} AND resource_uid IN {uids:Array(String)}
GROUP BY resource_uid
