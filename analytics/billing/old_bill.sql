-- Contents of some billing periods of an account that were stored before exports were supported: one row per period and day, in US
-- dollars. Read by the account actor when it decides which bill counts.
SELECT
    formatDateTime(ifNull(toDate32(BillingPeriodStart), x_Day), '%Y-%m') AS period,
    '' AS export,
    toString(x_Day) AS day,
    toUInt32(count()) AS lines,
    toString(sum(BilledCost)) AS billed,
    toString(sum(EffectiveCost)) AS effective,
    '' AS oldest,
    '' AS newest
FROM cost_fact FINAL
WHERE x_OrgId = {org:String} AND x_CloudAccountId = {account:String} AND x_Lone = 0 AND period IN {periods:Array(String)}
GROUP BY period, x_Day
ORDER BY period, day
