-- How some resources were charged from {from} to {to}, both included: one row per resource, day and unit of usage. `unit` is h for hours
-- of running, otherwise the unit of the bill. `rate` is US dollars per unit; `reserved` and `on_demand` are numbers of lines. {cost} is
-- billed_cost, effective_cost, contracted_cost or list_cost. Read by the anomaly job.
SELECT
    uid AS resource_uid,
    toString(on) AS day,
    unit,
    sum(used) AS quantity,
    toFloat64(sum(charged)) AS cost_usd,
    sum(coalesce(told, toFloat64(charged) / if(used = 0, 1, used)) * used) / if(quantity = 0, 1, quantity) AS rate,
    countIf(bought IN ('reserved', 'savings_plan')) AS reserved,
    countIf(bought = 'on_demand') AS on_demand
FROM
(
    SELECT
        ResourceId AS uid,
        x_Day AS on,
        multiIf(
            x_UsageHours IS NOT NULL, 'h',
            match(ConsumedUnit, '(?i)^(hours?|hrs?)$') OR match(PricingUnit, '(?i)^(hours?|hrs?)$'), 'h',
            ConsumedUnit != '', ConsumedUnit,
            PricingUnit) AS unit,
        coalesce(x_UsageHours, toFloat64(ConsumedQuantity), toFloat64(PricingQuantity), 0) AS used,
        multiIf(
            {cost:String} = 'effective_cost', EffectiveCost,
            {cost:String} = 'contracted_cost', ContractedCost,
            {cost:String} = 'list_cost', ListCost,
            BilledCost) AS charged,
        x_HourlyRateUSD AS told,
        x_PurchaseType AS bought
    FROM cost_lines_at(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = '')
    WHERE ResourceId IN {uids:Array(String)} AND ChargeCategory = 'Usage'
)
GROUP BY resource_uid, day, unit
ORDER BY resource_uid, day, unit
