-- On-demand usage after commitments ended: one row per commitment of {uids}, with the number of the ten days after its last day in bills
-- ({last_days}, by position), up to {settled}, on which something that it covered on its last day ran on demand. {accounts} filters by
-- account, an empty list means all; {from} is the earliest of {last_days}. The same resource, service and component are compared: the
-- storage of a database continues when its hours do not. Read by GET /reports/commitments.
WITH arrayZip({uids:Array(String)}, arrayMap(d -> toDate32(d), {last_days:Array(String)})) AS ends,
uses AS
(
    SELECT day, cloud_account_id, resource_uid, service_name, component, commitment_id, part
    FROM commitment_use(org = {org:String}, from = {from:Date32}, to = {settled:Date32})
    WHERE resource_uid != '' AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})
)
SELECT c.commitment_id AS commitment_id, toUInt32(uniqExact(u.day)) AS days
FROM
(
    SELECT DISTINCT commitment_id, day, cloud_account_id, resource_uid, service_name, component
    FROM uses
    WHERE part = 'used' AND has(ends, (commitment_id, day))
) AS c
INNER JOIN (SELECT * FROM uses WHERE part = 'on_demand') AS u
    ON u.cloud_account_id = c.cloud_account_id AND u.resource_uid = c.resource_uid AND u.service_name = c.service_name
    AND u.component = c.component
WHERE u.day > c.day AND u.day <= c.day + 10
GROUP BY c.commitment_id
ORDER BY commitment_id
