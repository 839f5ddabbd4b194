-- The resource groups of each resource: one row per resource that is a current member of any group, with the IDs of these groups.
-- {with_deleted} 1 includes deleted groups. Other parameter: {org}. Read by the queries about anomalies and budgets, which add up costs by
-- group.
CREATE OR REPLACE VIEW grouped_resources AS
SELECT resource_uid, groupArray(group_id) AS groups
FROM resource_group_member FINAL
WHERE org_id = {org:String} AND removed = 0 AND ({with_deleted:UInt8} = 1 OR group_id IN
    (SELECT group_id FROM resource_group_state FINAL WHERE org_id = {org:String} AND deleted = 0))
GROUP BY resource_uid
