-- Bill lines as FOCUS 1.4: one row per line, by day, account and line, with its 65 columns in its order, then ours. {narrow} 0 has all
-- lines of the days, 1 only lines that match the filters of the view cost_slice. Costs and unit prices are US dollars, whatever the
-- currency of the bill (x_BillingCurrency, x_UsdRate).
-- A column that FOCUS requires and a line lacks has a default: the account for the billing account, the period of the export or the month
-- of the day for the billing period, the cloud for the provider, Other for a category. A tax has no price and no SKU, only usage has a
-- consumed quantity, and consumed commitment was used. The type of a resource without one is that of the inventory, or follows from its
-- ID: an ARN (the last part is a name for topics and APIs) or an ID of EC2. Read by the FOCUS export.
-- Marks: narrow.
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
    if(l.BillingAccountId = '', l.x_BilledAccountId, l.BillingAccountId) AS BillingAccountId,
    multiIf(l.BillingAccountName != '', l.BillingAccountName, l.BillingAccountId != '', l.BillingAccountId, l.x_BilledAccountId) AS BillingAccountName,
    if(l.BillingAccountType = '', 'Billing Account', l.BillingAccountType) AS BillingAccountType,
    'USD' AS BillingCurrency,
    formatDateTime(ifNull(l.BillingPeriodEnd, toDateTime(l.month + INTERVAL 1 MONTH, 'UTC')), '%Y-%m-%dT%H:%i:%SZ') AS BillingPeriodEnd,
    formatDateTime(ifNull(l.BillingPeriodStart, toDateTime(l.month, 'UTC')), '%Y-%m-%dT%H:%i:%SZ') AS BillingPeriodStart,
    nullIf(l.CapacityReservationId, '') AS CapacityReservationId,
    nullIf(l.CapacityReservationStatus, '') AS CapacityReservationStatus,
    l.ChargeCategory AS ChargeCategory,
    nullIf(l.ChargeClass, '') AS ChargeClass,
    nullIf(l.ChargeDescription, '') AS ChargeDescription,
    transform(lowerUTF8(toString(l.ChargeFrequency)), ['usage-based', 'recurring', 'one-time'], ['Usage-Based', 'Recurring', 'One-Time'],
        if(l.ChargeCategory = 'Usage', 'Usage-Based', 'One-Time')) AS ChargeFrequency,
    formatDateTime(l.ChargePeriodEnd, '%Y-%m-%dT%H:%i:%SZ') AS ChargePeriodEnd,
    formatDateTime(l.ChargePeriodStart, '%Y-%m-%dT%H:%i:%SZ') AS ChargePeriodStart,
    nullIf(l.CommitmentDiscountCategory, '') AS CommitmentDiscountCategory,
    nullIf(l.CommitmentDiscountId, '') AS CommitmentDiscountId,
    nullIf(l.CommitmentDiscountName, '') AS CommitmentDiscountName,
    l.CommitmentDiscountQuantity AS CommitmentDiscountQuantity,
    if(l.CommitmentDiscountStatus = '' AND l.CommitmentDiscountId != '' AND l.used, 'Used', nullIf(l.CommitmentDiscountStatus, '')) AS CommitmentDiscountStatus,
    nullIf(l.CommitmentDiscountType, '') AS CommitmentDiscountType,
    multiIf(isNull(l.CommitmentDiscountQuantity), NULL, l.CommitmentDiscountUnit = '', 'Units', l.CommitmentDiscountUnit) AS CommitmentDiscountUnit,
    nullIf(l.CommitmentProgramEligibilityDetails, '') AS CommitmentProgramEligibilityDetails,
    if(l.used, l.ConsumedQuantity, NULL) AS ConsumedQuantity,
    multiIf(NOT l.used, NULL, l.ConsumedUnit = '', 'Units', l.ConsumedUnit) AS ConsumedUnit,
    nullIf(l.ContractApplied, '') AS ContractApplied,
    l.ContractedCost AS ContractedCost,
    if(l.taxed, NULL, l.contracted) AS ContractedUnitPrice,
    l.EffectiveCost AS EffectiveCost,
    nullIf(l.HostProviderName, '') AS HostProviderName,
    nullIf(l.InvoiceDetailId, '') AS InvoiceDetailId,
    nullIf(l.InvoiceId, '') AS InvoiceId,
    if(l.InvoiceIssuerName = '', l.seller, l.InvoiceIssuerName) AS InvoiceIssuerName,
    l.ListCost AS ListCost,
    if(l.taxed, NULL, l.list) AS ListUnitPrice,
    multiIf(l.taxed, NULL, l.PricingCategory != '', l.PricingCategory, l.ChargeCategory NOT IN ('Usage', 'Purchase'), NULL, l.x_PurchaseType = 'spot', 'Dynamic',
        l.ChargeCategory = 'Usage' AND l.x_PurchaseType IN ('reserved', 'savings_plan'), 'Committed', 'Standard') AS PricingCategory,
    if(l.PricingCurrency = '', 'USD', l.PricingCurrency) AS PricingCurrency,
    multiIf(l.taxed, NULL, isNotNull(l.PricingCurrencyContractedUnitPrice), l.PricingCurrencyContractedUnitPrice,
        l.dollars, l.contracted, l.billed, l.ContractedUnitPrice, NULL) AS PricingCurrencyContractedUnitPrice,
    multiIf(isNotNull(l.PricingCurrencyEffectiveCost), l.PricingCurrencyEffectiveCost,
        l.dollars, l.EffectiveCost, l.billed, divideDecimal(l.EffectiveCost, l.x_UsdRate, 14), NULL) AS PricingCurrencyEffectiveCost,
    multiIf(l.taxed, NULL, isNotNull(l.PricingCurrencyListUnitPrice), l.PricingCurrencyListUnitPrice,
        l.dollars, l.list, l.billed, l.ListUnitPrice, NULL) AS PricingCurrencyListUnitPrice,
    if(l.taxed, NULL, l.PricingQuantity) AS PricingQuantity,
    multiIf(l.taxed OR isNull(l.PricingQuantity), NULL, l.PricingUnit = '', 'Units', l.PricingUnit) AS PricingUnit,
    nullIf(l.RegionId, '') AS RegionId,
    if(l.RegionId = '', NULL, if(l.RegionName = '', l.RegionId, l.RegionName)) AS RegionName,
    nullIf(l.ResourceId, '') AS ResourceId,
    nullIf(l.ResourceName, '') AS ResourceName,
    if(l.ResourceId = '', NULL, nullIf(l.kind, '')) AS ResourceType,
    if(l.category = '', 'Other', l.category) AS ServiceCategory,
    if(l.ServiceName = '', 'Unknown', l.ServiceName) AS ServiceName,
    l.seller AS ServiceProviderName,
    if(l.category = '' OR l.ServiceSubcategory = '', concat('Other (', if(l.category = '', 'Other', l.category), ')'), l.ServiceSubcategory) AS ServiceSubcategory,
    if(l.taxed, NULL, nullIf(l.SkuId, '')) AS SkuId,
    if(l.taxed, NULL, nullIf(l.SkuMeter, '')) AS SkuMeter,
    if(l.taxed, NULL, nullIf(l.SkuPriceDetails, '')) AS SkuPriceDetails,
    if(l.taxed, NULL, nullIf(l.SkuPriceId, '')) AS SkuPriceId,
    nullIf(l.SubAccountId, '') AS SubAccountId,
    if(l.SubAccountId = '', NULL, if(l.SubAccountName = '', l.SubAccountId, l.SubAccountName)) AS SubAccountName,
    multiIf(l.SubAccountId = '', NULL, l.SubAccountType != '', l.SubAccountType,
        l.x_Provider = 'aws', 'Account', l.x_Provider = 'gcp', 'Project', l.x_Provider = 'azure', 'Subscription', 'Account') AS SubAccountType,
    if(empty(l.Tags), NULL, toJSONString(l.Tags)) AS Tags,
    l.x_LineId AS x_LineId,
    l.x_BilledAccountId AS x_CloudAccountId,
    if(l.x_Provider IN ('', 'aws', 'gcp', 'azure'), l.x_Provider, 'other') AS x_Provider,
    l.x_PurchaseType AS x_PurchaseType,
    nullIf(l.ResourceType, '') AS x_ResourceType,
    l.x_Source AS x_Source,
    formatDateTime(l.x_ExportedAt, '%Y-%m-%dT%H:%i:%S.%fZ') AS x_ExportedAt,
    l.x_UsageHours AS x_UsageHours,
    l.x_HourlyRateUSD AS x_HourlyRateUSD,
    l.BillingCurrency AS x_BillingCurrency,
    l.x_UsdRate AS x_UsdRate,
    l.x_CloudAccountId AS x_UsageAccountId,
    nullIf(l.x_PublisherName, '') AS x_PublisherName,
    if(empty(l.x_OtherColumns), NULL, toJSONString(l.x_OtherColumns)) AS x_OtherColumns
FROM
(
    SELECT cost_lines.*,
        toStartOfMonth(if(x_BillingPeriod = '', x_Day, toDate32OrZero(concat(x_BillingPeriod, '-01')))) AS month,
        ChargeCategory = 'Tax' AS taxed,
        ChargeCategory = 'Usage' AND CommitmentDiscountStatus != 'Unused' AND isNotNull(ConsumedQuantity) AS used,
        PricingCurrency IN ('', 'USD') AS dollars,
        PricingCurrency = BillingCurrency AS billed,
        if(x_UsdRate = 1, toDecimal256(ContractedUnitPrice, 16), multiplyDecimal(ContractedUnitPrice, x_UsdRate, 16)) AS contracted,
        if(x_UsdRate = 1, toDecimal256(ListUnitPrice, 16), multiplyDecimal(ListUnitPrice, x_UsdRate, 16)) AS list,
        multiIf(ServiceProviderName != '', ServiceProviderName, x_Provider = 'aws', 'AWS', x_Provider = 'gcp', 'Google Cloud', x_Provider = 'azure', 'Microsoft', x_Provider = 'other', 'Unknown', x_Provider) AS seller,
        multiIf(ResourceType != '', ResourceType, inventory.type != '', inventory.type,
            match(ResourceId, '^arn:[^:]*:(sns|execute-api):'), '',
            startsWith(ResourceId, 'arn:'), extract(ResourceId, '^arn:[^:]*:[^:]*:[^:]*:[0-9]+:([a-z][a-z0-9-]*)[:/]'),
            x_Provider != 'aws', '',
            transform(extract(ResourceId, '^(i|vol|snap|vpn)-[0-9a-z]+$'), ['i', 'vol', 'snap', 'vpn'], ['instance', 'volume', 'snapshot', 'vpn-connection'], '')) AS kind,
        if(ServiceCategory IN ('AI and Machine Learning', 'Analytics', 'Business Applications', 'Compute', 'Databases', 'Developer Tools', 'Multicloud',
            'Identity', 'Integration', 'Internet of Things', 'Management and Governance', 'Media', 'Migration', 'Mobile', 'Networking', 'Security',
            'Storage', 'Web', 'Other'), ServiceCategory, '') AS category
    FROM cost_lines_at(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String}) AS cost_lines
    LEFT ANY JOIN inventory
        ON inventory.cloud_account_id = cost_lines.x_CloudAccountId AND inventory.resource_uid = cost_lines.ResourceId
    /*if narrow*/WHERE ({narrow:UInt8} = 0 OR (x_CloudAccountId, x_Day, x_Provider, RegionId, ServiceName, if(ResourceType = '', inventory.type, ResourceType),
            x_PurchaseType, ChargeCategory, ResourceId) IN
        (
            SELECT cloud_account_id, day, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid
            FROM cost_slice(
                org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
                providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
                types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
                scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
                tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
            WHERE lines > 0 AND place = 0
        ))/*end*/
) AS l
ORDER BY l.x_Day, l.x_BilledAccountId, l.x_LineId
