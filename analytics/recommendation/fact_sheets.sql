-- Fact sheets of resources of {type} from {from} to {to}: one row per resource, with a list of its sheets in each column. `facts` has of
-- each sheet those with a 1 in {masks}, one mask per layout of {layouts}; `layout_numbers` are their positions, from 1. = in `resources`
-- and `found` means as in the sheet before. If a day appears twice, the later `at` (milliseconds since 1970) counts. {scoped} 1 keeps only
-- resources of the accounts and teams that the reader may see. Read by the replay of rules (POST /what-if).
SELECT cloud_account_id, resource_uid, at, layout_numbers,
    arrayMap((one, last) -> if(one = last, '=', one), all_resources, arrayPushFront(arrayPopBack(all_resources), '')) AS resources,
    facts,
    arrayMap((one, last) -> if(one = last, '=', one), all_found, arrayPushFront(arrayPopBack(all_found), '=')) AS found
FROM
(
    SELECT cloud_account_id, resource_uid, groupArray(toUnixTimestamp64Milli(at)) AS at,
        groupArray(toUInt16(indexOf({layouts:Array(String)}, layout))) AS layout_numbers, groupArray(resource) AS all_resources,
        groupArray(arrayFilter((one, is) -> is, facts, {masks:Array(Array(UInt8))}[indexOf({layouts:Array(String)}, layout)])) AS facts,
        groupArray(found) AS all_found
    FROM fact_sheet
    WHERE org_id = {org:String} AND resource_type = {type:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)}
            OR resource_uid IN (SELECT resource_uid FROM resource_teams(org = {org:String}) WHERE team_id IN {scope_teams:Array(String)}))
    GROUP BY org_id, resource_type, cloud_account_id, resource_uid
    SETTINGS optimize_aggregation_in_order = 1
)
