-- How keys of Azure are shown, which mean the same in upper and lower case: one row a key in lower case. As other clouds' resources spell it,
-- in each of their spellings; where none has it, in the newest spelling of Azure.
CREATE OR REPLACE VIEW azure_spellings AS
SELECT folded, if(empty(others), [newest], others) AS spellings
FROM
(
    SELECT lowerUTF8(spelling) AS folded, argMax(spelling, (at, spelling)) AS newest
    FROM
    (
        SELECT arrayJoin(mapKeys(tags)) AS spelling, toDate32(observed_at) AS at FROM resource_state FINAL
        WHERE org_id = {org:String} AND provider = 'azure'
        UNION ALL
        SELECT arrayJoin(mapKeys(tags)) AS spelling, day AS at FROM billed_tag FINAL WHERE org_id = {org:String} AND provider = 'azure'
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
