-- Azure tag keys with several spellings, which are the same to Azure: one row per key in lower case, with the spellings to show: those of
-- other clouds' resources, otherwise the latest one of Azure. Sent with queries about tags (analytics/tagging/spelling.ts).
SELECT folded, if(empty(others), [newest], others) AS spellings
FROM
(
    SELECT lowerUTF8(spelling) AS folded, argMax(spelling, (at, spelling)) AS newest, groupUniqArray(spelling) AS own
    FROM
    (
        SELECT toString(arrayJoin(mapKeys(tags))) AS spelling, seen AS at FROM effective_tags(org = {org:String}) WHERE provider = 'azure'
        UNION ALL
        SELECT arrayJoin(JSONExtractKeys(toString(own_tags))) AS spelling, max(day) AS at
        FROM cost_daily_slot
        WHERE org_id = {org:String} AND provider = 'azure' AND own_tags != ''
        GROUP BY own_tags, spelling
    )
    GROUP BY folded
) AS azure
LEFT ANY JOIN
(
    SELECT lowerUTF8(arrayJoin(mapKeys(tags)) AS spelling) AS folded, arraySort(groupUniqArray(toString(spelling))) AS others
    FROM effective_tags(org = {org:String})
    WHERE provider != 'azure'
    GROUP BY folded
) AS other ON other.folded = azure.folded
WHERE own != spellings
ORDER BY folded
LIMIT {limit:UInt32}
