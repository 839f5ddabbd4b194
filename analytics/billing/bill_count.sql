-- Contents of some exports {bills} (billing period, export) of an account: one row per export and day, with the number of different lines,
-- their exact sums in US dollars, and the export times in them. Read by the account actor when it decides which bill counts, and by
-- uploads.
SELECT
    x_BillingPeriod AS period,
    x_ExportId AS export,
    toString(x_Day) AS day,
    toUInt32(count()) AS lines,
    toString(sum(BilledCost)) AS billed,
    toString(sum(EffectiveCost)) AS effective,
    concat(replaceOne(toString(min(x_ExportedAt)), ' ', 'T'), 'Z') AS oldest,
    concat(replaceOne(toString(max(x_ExportedAt)), ' ', 'T'), 'Z') AS newest
FROM bill_line FINAL
WHERE x_OrgId = {org:String} AND x_CloudAccountId = {account:String}
    AND (x_OrgId, x_CloudAccountId, x_BillingPeriod, x_ExportId)
        IN arrayMap(b -> ({org:String}, {account:String}, b.1, b.2), {bills:Array(Tuple(String, String))})
GROUP BY period, export, x_Day
ORDER BY period, export, day
