-- Works out the days {days} of accounts anew from their facts, into slot {slot}, those of {behind} into the next one, under
-- {generation}, with the exports {bills} shown.
-- A charge is one (account, day, resource, or service where no resource is named): once an actual line exists for it, its
-- estimates do not count. Everything else is summed: taxes, credits, refunds.
-- A line counts for its usage account, and its resource is that of this account.
-- A line that names no type of resource takes the type the inventory knows for its resource.
-- {estimates} and {untyped} say whether the days hold such lines at all: where they do not, the look is spared, and the parts marked
-- for it are left out.
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
