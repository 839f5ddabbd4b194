-- What an account used over the 30 days before {today}, by service and component: cost by {cost} at pay-as-you-go prices on each of
-- the 30 days, the oldest first, and effective cost of what commitments covered.
SELECT
    service_name,
    component,
    arrayMap(n -> toFloat64(by_day[toUInt8(n)]), range(30)) AS on_demand_usd,
    toFloat64(committed) AS committed_usd
FROM
(
    SELECT
        service_name,
        component,
        sumMap(map(toUInt8(30 - dateDiff('day', day, {today:Date32})), if(pricing_category = 'Standard', {cost:Identifier}, 0))) AS by_day,
        sumIf(effective_cost, pricing_category = 'Committed' AND commitment_status != 'Unused') AS committed
    FROM usage_daily_slot
    WHERE org_id = {org:String} AND cloud_account_id = {account:String}
        AND day BETWEEN {today:Date32} - 30 AND {today:Date32} - 1
        AND charge_category = 'Usage'
        AND edition IN
        (
            SELECT edition FROM cost_day FINAL
            WHERE org_id = {org:String} AND cloud_account_id = {account:String} AND day BETWEEN {today:Date32} - 30 AND {today:Date32} - 1
        )
    GROUP BY service_name, component
)
ORDER BY service_name, component
