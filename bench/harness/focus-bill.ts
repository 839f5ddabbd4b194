/**
 * A query whose rows are a bill of 41 columns of FOCUS, about 600 bytes a row as CSV. Parameters: count, perDay. A
 * resource has one line a day; a third of its columns says what it is, as in exports of clouds.
 */
export const focusBill = `
  WITH number % 50000 AS r, toDateTime('2026-01-01 00:00:00', 'UTC') + intDiv(number, {perDay:UInt64}) * 86400 AS start,
    toDecimal128((cityHash64(number) % 1000000) / 7919, 14) AS cost
  SELECT 'AWS' AS ProviderName, 'AWS' AS PublisherName, 'AWS' AS InvoiceIssuerName, '111111111111' AS BillingAccountId,
    'Payer' AS BillingAccountName, toString(222222222222 + r % 20) AS SubAccountId, concat('Account ', toString(r % 20)) AS SubAccountName,
    toDateTime('2026-01-01 00:00:00', 'UTC') AS BillingPeriodStart, toDateTime('2026-02-01 00:00:00', 'UTC') AS BillingPeriodEnd,
    start AS ChargePeriodStart, start + 86400 AS ChargePeriodEnd, 'Usage' AS ChargeCategory, CAST(NULL AS Nullable(String)) AS ChargeClass,
    concat('On Demand usage of machine type ', toString(r % 97), ' by the hour') AS ChargeDescription, 'Usage-Based' AS ChargeFrequency,
    concat('Service ', toString(r % 17)) AS ServiceName, 'Compute' AS ServiceCategory, 'us-east-1' AS RegionId, 'US East' AS RegionName,
    concat('us-east-1', char(97 + r % 3)) AS AvailabilityZone,
    concat('arn:aws:ec2:us-east-1:222222222222:instance/i-', hex(cityHash64(r)), hex(r)) AS ResourceId,
    concat('machine-', toString(r)) AS ResourceName, 'EC2 Instance' AS ResourceType, cost AS BilledCost, cost AS EffectiveCost,
    cost AS ContractedCost, toDecimal128(cost * 1.25, 14) AS ListCost, 'USD' AS BillingCurrency,
    toDecimal128(0.0416 + r % 97 / 1000, 14) AS ListUnitPrice, toDecimal128(0.0416 + r % 97 / 1000, 14) AS ContractedUnitPrice,
    toDecimal128(24, 6) AS PricingQuantity, 'Hours' AS PricingUnit, 'Standard' AS PricingCategory, toDecimal128(24, 6) AS ConsumedQuantity,
    'Hours' AS ConsumedUnit, concat('SKU', toString(r % 997)) AS SkuId, concat('PRICE', toString(r % 1997)) AS SkuPriceId,
    CAST(NULL AS Nullable(String)) AS CommitmentDiscountId, CAST(NULL AS Nullable(String)) AS CommitmentDiscountType,
    concat('{"team":"team-', toString(r % 50), '","env":"', if(r % 3 = 0, 'prod', 'test'), '","app":"app-', toString(r % 400), '"}') AS Tags,
    concat('BoxUsage:m5.', toString(r % 97)) AS x_UsageType
  FROM numbers({count:UInt64})`
