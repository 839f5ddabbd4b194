-- Computes usage of the days {days} from the same lines as cost_daily, with the exports {bills} and without estimates of charges that have
-- an actual line ({estimates} is 1 if there are any), into slot {slot} (days of {behind} into the next one), under {generation}.
-- {patterns} give the component of a line: regular expressions over its provider, service and type, meter and unit in lower case, each in
-- angle brackets on a line of its own; the first match counts. {names} are the components for no match, the first pattern and so on. A
-- line without meter and unit that has hours of usage is for running.
-- Marks: estimates.
INSERT INTO usage_daily_slot
    (org_id, day, cloud_account_id, slot, generation, resource_uid, service_name, component, purchase_type, pricing_category, charge_category,
    commitment_id, commitment_status, unit, billing_account_id, sub_account_id, hours, quantity, billed_cost, effective_cost,
    contracted_cost, list_cost)
/*if estimates*/
WITH actual AS
(
    SELECT x_OrgId, x_CloudAccountId, x_Day, ResourceId, if(empty(ResourceId), ServiceName, '')
    FROM bill_row(days = {days:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
    WHERE x_Source = 'actual' AND {estimates:UInt8}
)
/*end*/
SELECT
    x_OrgId AS org_id,
    x_Day AS day,
    x_UsageAccountId AS cloud_account_id,
    toUInt8({slot:UInt8} + ((x_OrgId, x_CloudAccountId, x_Day) IN {behind:Array(Tuple(String, String, Date32))})) AS slot,
    {generation:UInt64} AS generation,
    ResourceId AS resource_uid,
    ServiceName AS service_name,
    {names:Array(String)}[1 + if(
        empty(meter) AND empty(used_unit),
        0,
        arrayMin(multiMatchAllIndices(
            lower(concat('<', x_Provider, '>\n<', ServiceName, ' ', ResourceType, '>\n<', meter, '>\n<', used_unit, '>')),
            {patterns:Array(String)})))] AS component,
    x_PurchaseType AS purchase_type,
    multiIf(
        PricingCategory != '', PricingCategory,
        ChargeCategory NOT IN ('Usage', 'Purchase'), '',
        x_PurchaseType = 'spot', 'Dynamic',
        ChargeCategory = 'Usage' AND x_PurchaseType IN ('reserved', 'savings_plan'), 'Committed',
        'Standard') AS pricing_category,
    ChargeCategory AS charge_category,
    CommitmentDiscountId AS commitment_id,
    CommitmentDiscountStatus AS commitment_status,
    used_unit AS unit,
    if(x_UsageAccountId = x_CloudAccountId, '', x_CloudAccountId) AS billing_account_id,
    x_SubAccount AS sub_account_id,
    sum(multiIf(
        isNotNull(x_UsageHours), assumeNotNull(x_UsageHours),
        match(used_unit, '(?i)^(1 )?(hours?|hrs?)$'), toFloat64(ifNull(used, 0)),
        0)) AS hours,
    sum(ifNull(used, 0)) AS quantity,
    sum(BilledCost) AS billed_cost,
    sum(EffectiveCost) AS effective_cost,
    sum(ContractedCost) AS contracted_cost,
    sum(ListCost) AS list_cost
FROM
(
    SELECT
        *,
        if(empty(ConsumedUnit), PricingUnit, ConsumedUnit) AS used_unit,
        ifNull(ConsumedQuantity, PricingQuantity) AS used,
        if(empty(SkuMeter) AND empty(used_unit) AND isNotNull(x_UsageHours), 'run', SkuMeter) AS meter
    FROM bill_row(days = {days:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
)
/*if estimates*/
WHERE (x_Source = 'actual' OR (x_OrgId, x_CloudAccountId, x_Day, ResourceId, if(empty(ResourceId), ServiceName, '')) NOT IN (actual))
/*end*/
GROUP BY
    org_id, day, cloud_account_id, x_CloudAccountId, resource_uid, service_name, component, purchase_type, pricing_category,
    charge_category, commitment_id, commitment_status, unit, sub_account_id
