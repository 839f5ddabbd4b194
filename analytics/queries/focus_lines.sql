-- Lines of bills as FOCUS 1.4 has them, by day, account and line: its 65 columns in its order, then ours. {narrow} 0 takes all
-- lines of the days; 1 only those behind what the parameters of the view cost_slice leave. Costs and unit prices are US dollars, whatever
-- the bill was in (x_BillingCurrency, x_UsdRate). What FOCUS wants in every row and a line does not say has a stand-in: the
-- account for the one that is billed, the month of the day for its period, the cloud for who sells, Other for a category.
WITH inventory AS
(
    SELECT cloud_account_id, resource_uid, type FROM resource_state FINAL WHERE org_id = {org:String}
)
SELECT
    nullIf(l.AllocatedMethodDetails, '') AS AllocatedMethodDetails,
    nullIf(l.AllocatedMethodId, '') AS AllocatedMethodId,
    nullIf(l.AllocatedResourceId, '') AS AllocatedResourceId,
    nullIf(l.AllocatedResourceName, '') AS AllocatedResourceName,
    if(empty(l.AllocatedTags), NULL, toJSONString(l.AllocatedTags)) AS AllocatedTags,
    nullIf(l.AvailabilityZone, '') AS AvailabilityZone,
    l.BilledCost AS BilledCost,
    if(l.BillingAccountId = '', l.x_CloudAccountId, l.BillingAccountId) AS BillingAccountId,
    nullIf(l.BillingAccountName, '') AS BillingAccountName,
    if(l.BillingAccountType = '', 'Billing Account', l.BillingAccountType) AS BillingAccountType,
    'USD' AS BillingCurrency,
    formatDateTime(ifNull(l.BillingPeriodEnd, toDateTime(toStartOfMonth(l.x_Day) + INTERVAL 1 MONTH, 'UTC')), '%Y-%m-%dT%H:%i:%SZ') AS BillingPeriodEnd,
    formatDateTime(ifNull(l.BillingPeriodStart, toDateTime(toStartOfMonth(l.x_Day), 'UTC')), '%Y-%m-%dT%H:%i:%SZ') AS BillingPeriodStart,
    nullIf(l.CapacityReservationId, '') AS CapacityReservationId,
    nullIf(l.CapacityReservationStatus, '') AS CapacityReservationStatus,
    l.ChargeCategory AS ChargeCategory,
    nullIf(l.ChargeClass, '') AS ChargeClass,
    nullIf(l.ChargeDescription, '') AS ChargeDescription,
    multiIf(l.ChargeFrequency != '', l.ChargeFrequency, l.ChargeCategory = 'Usage', 'Usage-Based', 'One-Time') AS ChargeFrequency,
    formatDateTime(l.ChargePeriodEnd, '%Y-%m-%dT%H:%i:%SZ') AS ChargePeriodEnd,
    formatDateTime(l.ChargePeriodStart, '%Y-%m-%dT%H:%i:%SZ') AS ChargePeriodStart,
    nullIf(l.CommitmentDiscountCategory, '') AS CommitmentDiscountCategory,
    nullIf(l.CommitmentDiscountId, '') AS CommitmentDiscountId,
    nullIf(l.CommitmentDiscountName, '') AS CommitmentDiscountName,
    l.CommitmentDiscountQuantity AS CommitmentDiscountQuantity,
    nullIf(l.CommitmentDiscountStatus, '') AS CommitmentDiscountStatus,
    nullIf(l.CommitmentDiscountType, '') AS CommitmentDiscountType,
    multiIf(isNull(l.CommitmentDiscountQuantity), NULL, l.CommitmentDiscountUnit = '', 'Units', l.CommitmentDiscountUnit) AS CommitmentDiscountUnit,
    nullIf(l.CommitmentProgramEligibilityDetails, '') AS CommitmentProgramEligibilityDetails,
    l.ConsumedQuantity AS ConsumedQuantity,
    multiIf(isNull(l.ConsumedQuantity), NULL, l.ConsumedUnit = '', 'Units', l.ConsumedUnit) AS ConsumedUnit,
    nullIf(l.ContractApplied, '') AS ContractApplied,
    l.ContractedCost AS ContractedCost,
    if(l.x_UsdRate = 1, toDecimal256(l.ContractedUnitPrice, 16), multiplyDecimal(l.ContractedUnitPrice, l.x_UsdRate, 16)) AS ContractedUnitPrice,
    l.EffectiveCost AS EffectiveCost,
    nullIf(l.HostProviderName, '') AS HostProviderName,
    nullIf(l.InvoiceDetailId, '') AS InvoiceDetailId,
    nullIf(l.InvoiceId, '') AS InvoiceId,
    if(l.InvoiceIssuerName = '', multiIf(l.x_Provider = 'aws', 'AWS', l.x_Provider = 'gcp', 'Google Cloud', 'Microsoft'), l.InvoiceIssuerName) AS InvoiceIssuerName,
    l.ListCost AS ListCost,
    if(l.x_UsdRate = 1, toDecimal256(l.ListUnitPrice, 16), multiplyDecimal(l.ListUnitPrice, l.x_UsdRate, 16)) AS ListUnitPrice,
    nullIf(l.PricingCategory, '') AS PricingCategory,
    if(l.PricingCurrency = '', 'USD', l.PricingCurrency) AS PricingCurrency,
    l.PricingCurrencyContractedUnitPrice AS PricingCurrencyContractedUnitPrice,
    if(isNull(l.PricingCurrencyEffectiveCost) AND l.PricingCurrency IN ('', 'USD'), l.EffectiveCost, l.PricingCurrencyEffectiveCost) AS PricingCurrencyEffectiveCost,
    l.PricingCurrencyListUnitPrice AS PricingCurrencyListUnitPrice,
    l.PricingQuantity AS PricingQuantity,
    multiIf(isNull(l.PricingQuantity), NULL, l.PricingUnit = '', 'Units', l.PricingUnit) AS PricingUnit,
    nullIf(l.RegionId, '') AS RegionId,
    if(l.RegionId = '', NULL, if(l.RegionName = '', l.RegionId, l.RegionName)) AS RegionName,
    nullIf(l.ResourceId, '') AS ResourceId,
    nullIf(l.ResourceName, '') AS ResourceName,
    if(l.ResourceId = '', NULL, nullIf(l.ResourceType, '')) AS ResourceType,
    if(l.category = '', 'Other', l.category) AS ServiceCategory,
    if(l.ServiceName = '', 'Unknown', l.ServiceName) AS ServiceName,
    if(l.ServiceProviderName = '', multiIf(l.x_Provider = 'aws', 'AWS', l.x_Provider = 'gcp', 'Google Cloud', 'Microsoft'), l.ServiceProviderName) AS ServiceProviderName,
    if(l.category = '' OR l.ServiceSubcategory = '', concat('Other (', if(l.category = '', 'Other', l.category), ')'), l.ServiceSubcategory) AS ServiceSubcategory,
    nullIf(l.SkuId, '') AS SkuId,
    nullIf(l.SkuMeter, '') AS SkuMeter,
    nullIf(l.SkuPriceDetails, '') AS SkuPriceDetails,
    nullIf(l.SkuPriceId, '') AS SkuPriceId,
    nullIf(l.SubAccountId, '') AS SubAccountId,
    if(l.SubAccountId = '', NULL, if(l.SubAccountName = '', l.SubAccountId, l.SubAccountName)) AS SubAccountName,
    nullIf(l.SubAccountType, '') AS SubAccountType,
    if(empty(l.Tags), NULL, toJSONString(l.Tags)) AS Tags,
    l.x_LineId AS x_LineId,
    l.x_CloudAccountId AS x_CloudAccountId,
    l.x_Provider AS x_Provider,
    l.x_PurchaseType AS x_PurchaseType,
    nullIf(l.ResourceType, '') AS x_ResourceType,
    l.x_Source AS x_Source,
    formatDateTime(l.x_ExportedAt, '%Y-%m-%dT%H:%i:%S.%fZ') AS x_ExportedAt,
    l.x_UsageHours AS x_UsageHours,
    l.x_HourlyRateUSD AS x_HourlyRateUSD,
    l.BillingCurrency AS x_BillingCurrency,
    l.x_UsdRate AS x_UsdRate
FROM
(
    SELECT cost_lines.*, if(ServiceCategory IN ('AI and Machine Learning', 'Analytics', 'Business Applications', 'Compute', 'Databases', 'Developer Tools', 'Multicloud', 'Identity',
            'Integration', 'Internet of Things', 'Management and Governance', 'Media', 'Migration', 'Mobile', 'Networking', 'Security',
            'Storage', 'Web', 'Other'), ServiceCategory, '') AS category
    FROM cost_lines_at(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String}) AS cost_lines
    LEFT ANY JOIN inventory
        ON inventory.cloud_account_id = cost_lines.x_CloudAccountId AND inventory.resource_uid = cost_lines.ResourceId
    WHERE ({narrow:UInt8} = 0 OR (x_CloudAccountId, x_Day, x_Provider, RegionId, ServiceName, if(ResourceType = '', inventory.type, ResourceType),
            x_PurchaseType, ChargeCategory, ResourceId) IN
        (
            SELECT cloud_account_id, day, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid
            FROM cost_slice(
                org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
                providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
                types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
                scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
                tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
            WHERE lines > 0
        ))
) AS l
ORDER BY l.x_Day, l.x_CloudAccountId, l.x_LineId
