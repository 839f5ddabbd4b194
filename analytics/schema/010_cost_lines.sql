-- Every line of a bill that counts: one row a line, FOCUS columns under their own names, x_ columns of ours.
-- Lines that a restatement replaced or moved are not here, nor estimates of a charge (account, day, resource, or service
-- where no resource is named) for which an actual line exists. Costs are US dollars, times UTC, an empty text means null.
-- As fresh as the last commit. Always name x_OrgId, and days where you can: both narrow what is read.
CREATE OR REPLACE VIEW cost_lines AS
SELECT * EXCEPT (x_Deleted, x_Version, actual)
FROM
(
    SELECT
        *,
        max(x_Source = 'actual') OVER
        (
            PARTITION BY x_OrgId, x_CloudAccountId, x_Day, ResourceId, if(empty(ResourceId), ServiceName, '')
        ) AS actual
    FROM cost_fact FINAL
)
WHERE x_Source = 'actual' OR actual = 0
