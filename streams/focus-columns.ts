/**
 * The columns of a FOCUS Cost and Usage row, 1.0 to 1.4, by what they hold. Columns of 1.0 to 1.2 that later versions
 * renamed are read under their old names too (`renamed`); anything else in a row is ignored.
 */
export const focusMoney = [
  'BilledCost',
  'EffectiveCost',
  'ContractedCost',
  'ListCost',
  'PricingCurrencyEffectiveCost',
] as const

/** Prices carry 16 decimal places, quantities and money 14. */
export const focusPrices = [
  'ContractedUnitPrice',
  'ListUnitPrice',
  'PricingCurrencyContractedUnitPrice',
  'PricingCurrencyListUnitPrice',
] as const

export const focusQuantities = ['CommitmentDiscountQuantity', 'ConsumedQuantity', 'PricingQuantity'] as const

/** UTC; a text without a zone is UTC. Ends are exclusive. */
export const focusTimes = ['BillingPeriodStart', 'BillingPeriodEnd', 'ChargePeriodStart', 'ChargePeriodEnd'] as const

/** Flat objects of text to text. */
export const focusMaps = ['Tags', 'AllocatedTags'] as const

/** Kept as the JSON text they came as. */
export const focusJson = [
  'AllocatedMethodDetails',
  'CommitmentProgramEligibilityDetails',
  'ContractApplied',
  'SkuPriceDetails',
] as const

export const focusText = [
  'AllocatedMethodId',
  'AllocatedResourceId',
  'AllocatedResourceName',
  'AvailabilityZone',
  'BillingAccountId',
  'BillingAccountName',
  'BillingAccountType',
  'BillingCurrency',
  'CapacityReservationId',
  'CapacityReservationStatus',
  'ChargeCategory',
  'ChargeClass',
  'ChargeDescription',
  'ChargeFrequency',
  'CommitmentDiscountCategory',
  'CommitmentDiscountId',
  'CommitmentDiscountName',
  'CommitmentDiscountStatus',
  'CommitmentDiscountType',
  'CommitmentDiscountUnit',
  'ConsumedUnit',
  'HostProviderName',
  'InvoiceDetailId',
  'InvoiceId',
  'InvoiceIssuerName',
  'PricingCategory',
  'PricingCurrency',
  'PricingUnit',
  'RegionId',
  'RegionName',
  'ResourceId',
  'ResourceName',
  'ResourceType',
  'ServiceCategory',
  'ServiceName',
  'ServiceProviderName',
  'ServiceSubcategory',
  'SkuId',
  'SkuMeter',
  'SkuPriceId',
  'SubAccountId',
  'SubAccountName',
  'SubAccountType',
] as const

/** Columns of text by which it is decided what a line is; of all others nothing is asked when it is taken in. */
const decisive: readonly string[] = [
  'BillingCurrency',
  'ChargeCategory',
  'CommitmentDiscountId',
  'CommitmentDiscountType',
  'HostProviderName',
  'InvoiceIssuerName',
  'PricingCategory',
  'ServiceProviderName',
]
export const focusUnread = focusText.filter((name) => !decisive.includes(name))

/**
 * Old name to the name of FOCUS 1.4. The new name wins where a row has both. PublisherName, of 1.0 to 1.3, has none: who produced what was
 * bought is not who hosts it.
 */
export const renamed: Readonly<Record<string, (typeof focusText)[number]>> = {
  ProviderName: 'ServiceProviderName',
  InvoiceIssuer: 'InvoiceIssuerName',
  Region: 'RegionId',
}

export const chargeCategories = ['Usage', 'Purchase', 'Tax', 'Credit', 'Adjustment'] as const

/** Every column, in FOCUS's alphabetical order. */
export const focusColumns = [
  ...focusMoney,
  ...focusPrices,
  ...focusQuantities,
  ...focusTimes,
  ...focusMaps,
  ...focusJson,
  ...focusText,
].toSorted()
