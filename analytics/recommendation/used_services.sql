-- Usage of an account in the 30 days before {today}: one row per service and component, with the cost by {cost} at pay-as-you-go prices on
-- each of the 30 days, oldest first, and what it and covered usage would cost without commitments, in US dollars. Read by the sweep of
-- recommendations.
SELECT
    service_name,
    component,
    arrayMap(n -> toFloat64(by_day[toUInt8(n)]), range(30)) AS on_demand_usd,
    toFloat64(uncovered) AS uncovered_usd,
    toFloat64(covered) AS covered_usd
FROM
(
    SELECT
        service_name,
        component,
        sumMap(map(toUInt8(30 - dateDiff('day', day, {today:Date32})), if(part = 'on_demand', {cost:Identifier}, 0))) AS by_day,
        sumIf(on_demand_equivalent, part = 'on_demand') AS uncovered,
        sumIf(on_demand_equivalent, part = 'used') AS covered
    FROM commitment_use(org = {org:String}, from = {today:Date32} - 30, to = {today:Date32} - 1)
    WHERE cloud_account_id = {account:String} AND charge_category = 'Usage'
    GROUP BY service_name, component
)
ORDER BY service_name, component
