-- Bill lines that the sums of the days {days} (organization, billed account, day) are computed from: lines sent alone, and lines of the
-- exports {bills} (organization, billed account, billing period, export). Lines stored before exports were supported count for billing
-- periods without an export. One row per line, in US dollars, with only the columns that sums need: planning all columns of both tables
-- takes longer than adding up a small day.
-- Lines of {shadowed} (organization, billed account, day, usage account) are left out, because another bill has the same charges.
-- x_SubAccount is SubAccountId as accounts are connected by it: for Azure without its path and in lower case, for AWS with the leading
-- zeros that spreadsheets remove. x_UsageAccountId is the connected account with that ID, otherwise the billed account. x_OwnTags are the
-- tags that count for a line without a resource, as in cost_lines_at. x_IsPod is 1 for pods in split cost allocation data of AWS. Read by
-- the cost rollup only.
-- Marks: bills, leaving, linked.
CREATE OR REPLACE VIEW bill_row AS
SELECT line.*,
    /*if linked*/multiIf(empty(member.ids) OR has(member.ids, toString(x_CloudAccountId)), toString(x_CloudAccountId), member.ids[1])/*else x_CloudAccountId end*/ AS x_UsageAccountId
FROM
(
    SELECT
        x_OrgId, x_CloudAccountId, x_Day, x_LineId, x_Provider, x_PurchaseType, x_Source, RegionId, ServiceName, ResourceType, ResourceId,
        ChargeCategory, ChargePeriodStart, ChargePeriodEnd, BilledCost, EffectiveCost, ContractedCost, ListCost, Tags, SkuMeter, PricingCategory,
        CommitmentDiscountId, CommitmentDiscountStatus, ConsumedQuantity, ConsumedUnit, PricingQuantity, PricingUnit, x_UsageHours, SubAccountName,
        multiIf(
            x_Provider = 'azure', lowerUTF8(replaceRegexpOne(SubAccountId, '^/subscriptions/', '')),
            x_Provider = 'aws' AND length(SubAccountId) < 12 AND match(SubAccountId, '^[0-9]+$'), leftPad(SubAccountId, 12, '0'),
            SubAccountId) AS x_SubAccount,
        if(empty(ResourceId) AND Tags.size0 > 0, toJSONString(mapSort(mapFilter((k, v) -> v != '', Tags))), '') AS x_OwnTags,
        ResourceId LIKE 'arn:aws%:eks:%:pod/%/%/%' AS x_IsPod
    FROM cost_fact FINAL
    WHERE (x_OrgId, x_CloudAccountId, x_Day) IN {days:Array(Tuple(String, String, Date32))}
        /*if bills*/AND (x_Lone = 1 OR (x_OrgId, x_CloudAccountId, formatDateTime(ifNull(toDate32(BillingPeriodStart), x_Day), '%Y-%m'))
            NOT IN arrayMap(b -> (b.1, b.2, b.3), {bills:Array(Tuple(String, String, String, String))}))/*end*/
/*if bills*/
    UNION ALL
    SELECT
        x_OrgId, x_CloudAccountId, x_Day, x_LineId, x_Provider, x_PurchaseType, x_Source, RegionId, ServiceName, ResourceType, ResourceId,
        ChargeCategory, ChargePeriodStart, ChargePeriodEnd, BilledCost, EffectiveCost, ContractedCost, ListCost, Tags, SkuMeter, PricingCategory,
        CommitmentDiscountId, CommitmentDiscountStatus, ConsumedQuantity, ConsumedUnit, PricingQuantity, PricingUnit, x_UsageHours, SubAccountName,
        multiIf(
            x_Provider = 'azure', lowerUTF8(replaceRegexpOne(SubAccountId, '^/subscriptions/', '')),
            x_Provider = 'aws' AND length(SubAccountId) < 12 AND match(SubAccountId, '^[0-9]+$'), leftPad(SubAccountId, 12, '0'),
            SubAccountId) AS x_SubAccount,
        if(empty(ResourceId) AND Tags.size0 > 0, toJSONString(mapSort(mapFilter((k, v) -> v != '', Tags))), '') AS x_OwnTags,
        ResourceId LIKE 'arn:aws%:eks:%:pod/%/%/%' AS x_IsPod
    FROM bill_line FINAL
    WHERE (x_OrgId, x_CloudAccountId, x_Day) IN {days:Array(Tuple(String, String, Date32))}
        AND (x_OrgId, x_CloudAccountId, x_BillingPeriod, x_ExportId) IN {bills:Array(Tuple(String, String, String, String))}
/*end*/
) AS line
/*if linked*/
LEFT ANY JOIN
(
    SELECT org_id, provider, external_id, arraySort(groupArray(cloud_account_id)) AS ids
    FROM account_state FINAL
    WHERE removed = 0 AND org_id IN arrayMap(d -> d.1, {days:Array(Tuple(String, String, Date32))})
    GROUP BY org_id, provider, external_id
) AS member ON member.org_id = x_OrgId AND member.provider = x_Provider AND member.external_id = x_SubAccount
/*end*/
/*if leaving*/WHERE (x_OrgId, x_CloudAccountId, x_Day, x_UsageAccountId) NOT IN {shadowed:Array(Tuple(String, String, Date32, String))}/*end*/
