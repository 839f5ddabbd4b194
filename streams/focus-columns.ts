/**
 * The columns of a FOCUS Cost and Usage row, 1.0 to 1.4, by type. Columns of 1.0 to 1.2 that later versions renamed are
 * also read under their old names (`renamed`); other columns of a row are ignored.
 */
export const focusMoney = [
  'BilledCost',
  'EffectiveCost',
  'ContractedCost',
  'ListCost',
  'PricingCurrencyEffectiveCost',
] as const

/** Prices have 16 decimal places, quantities and money 14. */
export const focusPrices = [
  'ContractedUnitPrice',
  'ListUnitPrice',
  'PricingCurrencyContractedUnitPrice',
  'PricingCurrencyListUnitPrice',
] as const

export const focusQuantities = ['CommitmentDiscountQuantity', 'ConsumedQuantity', 'PricingQuantity'] as const

/** UTC; text without a zone is UTC. Ends are exclusive. */
export const focusTimes = ['BillingPeriodStart', 'BillingPeriodEnd', 'ChargePeriodStart', 'ChargePeriodEnd'] as const

/** Flat objects from text to text. */
export const focusMaps = ['Tags', 'AllocatedTags'] as const

/** Stored as the JSON text received. */
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

/** Text columns that decide what a line is; all others are not interpreted when a line is ingested. */
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
 * Old name to the name in FOCUS 1.4. The new name wins if a row has both. PublisherName (1.0 to 1.3) has none: who produced what was
 * bought is not who hosts it.
 */
export const renamedColumns: Readonly<Record<string, (typeof focusText)[number]>> = {
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
