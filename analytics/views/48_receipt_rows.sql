-- Bill lines in the columns of a receipt: one row per line of cost_lines_at, with the type of the inventory if the line has none. `own` is
-- the cost of the whole line in US dollars by {cost}: billed_cost, effective_cost, contracted_cost or list_cost. {invoice_ids}: an empty
-- list means all. The other parameters are those of cost_lines_at. Read by receipt_shared_lines, receipt_parts and receipt_parts_total.
CREATE OR REPLACE VIEW receipt_rows AS
WITH inventory AS
(
    SELECT cloud_account_id, resource_uid, type FROM resource_state FINAL WHERE org_id = {org:String}
)
SELECT
    x_LineId AS line_id,
    x_Day AS day,
    x_CloudAccountId AS cloud_account_id,
    x_Provider AS provider,
    ServiceName AS service_name,
    RegionId AS region,
    ResourceId AS resource_uid,
    if(ResourceType = '', inventory.type, ResourceType) AS resource_type,
    x_PurchaseType AS purchase_type,
    ChargeCategory AS charge_category,
    ChargeDescription AS description,
    ifNull(ConsumedQuantity, PricingQuantity) AS quantity,
    if(isNull(ConsumedQuantity), PricingUnit, ConsumedUnit) AS unit,
    InvoiceId AS invoice_id,
    x_Source AS source,
    concat(replaceOne(toString(x_ExportedAt), ' ', 'T'), 'Z') AS exported_at,
    x_ExportId AS export_id,
    multiIf(
        {cost:String} = 'billed_cost', BilledCost,
        {cost:String} = 'effective_cost', EffectiveCost,
        {cost:String} = 'contracted_cost', ContractedCost,
        ListCost) AS own,
    x_OwnTags AS own_tags,
    x_BilledAccountId AS billing_account,
    x_SubAccount AS sub_account,
    SubAccountId AS sub_account_id,
    SubAccountName AS sub_account_name,
    BillingCurrency AS billing_currency,
    toString(x_UsdRate) AS usd_rate,
    x_UsdRateSource AS usd_rate_source,
    if(empty(x_OtherColumns), '', toJSONString(x_OtherColumns)) AS other_columns
FROM cost_lines_at(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String}) AS cost_lines
LEFT ANY JOIN inventory
    ON inventory.cloud_account_id = cost_lines.x_CloudAccountId AND inventory.resource_uid = cost_lines.ResourceId
WHERE empty({invoice_ids:Array(String)}) OR InvoiceId IN {invoice_ids:Array(String)}
