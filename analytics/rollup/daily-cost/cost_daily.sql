-- Computes the days {days} of accounts from their bill lines, with the exports {bills}, into slot {slot} (days of {behind} into the next
-- one), under {generation}. One row per combination of dimensions, in US dollars.
-- A charge is an account, day and resource, or service if there is no resource: once it has an actual line, its estimates do not count.
-- Taxes, credits and refunds are added like anything else. A line counts for its usage account, and its resource is one of this account. A
-- line without a resource type gets the type that the inventory has for its resource.
-- {estimates} and {untyped} are 1 if the days have such lines; otherwise the marked parts are left out.
-- Marks: estimates, untyped.
INSERT INTO cost_daily_slot
    (org_id, day, cloud_account_id, slot, generation, provider, region, service_name, resource_type, purchase_type, charge_category,
    resource_uid, own_tags, billing_account_id, sub_account_id, billed_cost, effective_cost, contracted_cost, list_cost, lines,
    estimated_lines)
/*if estimates*/
WITH actual AS
(
    SELECT x_OrgId, x_CloudAccountId, x_Day, ResourceId, if(empty(ResourceId), ServiceName, '')
    FROM bill_row(days = {days:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
    WHERE x_Source = 'actual' AND {estimates:UInt8}
)
/*end*/
/*if untyped*/
/*if estimates*/, /*else WITH end*/
untyped AS
(
    SELECT x_OrgId, x_UsageAccountId, ResourceId
    FROM bill_row(days = {days:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
    WHERE ResourceType = '' AND ResourceId != '' AND {untyped:UInt8}
),
inventory AS
(
    SELECT org_id, cloud_account_id, resource_uid, type
    FROM resource_state FINAL
    WHERE (org_id, cloud_account_id, resource_uid) IN (untyped)
)
/*end*/
SELECT
    x_OrgId AS org_id,
    x_Day AS day,
    x_UsageAccountId AS cloud_account_id,
    toUInt8({slot:UInt8} + ((x_OrgId, x_CloudAccountId, x_Day) IN {behind:Array(Tuple(String, String, Date32))})) AS slot,
    {generation:UInt64} AS generation,
    x_Provider AS provider,
    RegionId AS region,
    ServiceName AS service_name,
    /*if untyped*/if(ResourceType = '', inventory.type, ResourceType)/*else ResourceType end*/ AS resource_type,
    x_PurchaseType AS purchase_type,
    ChargeCategory AS charge_category,
    ResourceId AS resource_uid,
    x_OwnTags AS own_tags,
    if(x_UsageAccountId = x_CloudAccountId, '', x_CloudAccountId) AS billing_account_id,
    x_SubAccount AS sub_account_id,
    sum(BilledCost) AS billed_cost,
    sum(EffectiveCost) AS effective_cost,
    sum(ContractedCost) AS contracted_cost,
    sum(ListCost) AS list_cost,
    count() AS lines,
    countIf(x_Source = 'estimate') AS estimated_lines
FROM bill_row(days = {days:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))}) AS line
/*if untyped*/
LEFT ANY JOIN inventory
    ON inventory.org_id = x_OrgId AND inventory.cloud_account_id = x_UsageAccountId AND inventory.resource_uid = ResourceId
/*end*/
/*if estimates*/
WHERE (x_Source = 'actual' OR (x_OrgId, x_CloudAccountId, x_Day, ResourceId, if(empty(ResourceId), ServiceName, '')) NOT IN (actual))
/*end*/
GROUP BY org_id, day, cloud_account_id, x_CloudAccountId, provider, region, service_name, resource_type, purchase_type, charge_category,
    resource_uid, own_tags, sub_account_id
