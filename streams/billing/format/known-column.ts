/** The columns of bill formats, whether they are read or not. Any other column is the bill's own. */
import { foldName } from './columns.ts'
import { focusColumns, renamedColumns } from '#streams/focus-columns.ts'

const foldedNames = (names: readonly string[]): ReadonlySet<string> => new Set(names.map(foldName))

const focus = foldedNames([...focusColumns, ...Object.keys(renamedColumns), 'PublisherName', 'ExportTime'])

export const isOfFocus = (name: string): boolean => focus.has(foldName(name))

/** A report has hundreds of columns, more with each product. Their names begin with one of these groups. */
const awsGroups =
  /^(?:identity|bill|line_?item|product|pricing|reservation|capacity_?reservation|savings_?plan|discount|split_?line_?item|resource_?tags|account_?tags?|user_?attributes?|cost_?categor(?:y|ies)|tags)(?:[/_]|$)/i

export const isOfAws = (name: string): boolean => awsGroups.test(name)

const gcpRecords =
  /^(?:service|sku|project|labels|system_labels|tags|location|resource|usage|credits|invoice|price|subscription|consumption_model|adjustment_info)(?:[._]|$)/i
const gcp = foldedNames(
  `billing_account_id usage_start_time usage_end_time transaction_type seller_name export_time cost cost_type cost_at_list
  cost_at_effective_price_default cost_at_list_consumption_model currency currency_conversion_rate`.split(/\s+/),
)

export const isOfGcp = (name: string): boolean => gcpRecords.test(name) || gcp.has(foldName(name))

/** Columns of enterprise agreements, customer agreements, partners and pay-as-you-go, in all versions. */
const azure = foldedNames(
  `AccountId AccountName AccountOwnerId AdditionalInfo AvailabilityZone BenefitId BenefitName BillingAccountId BillingAccountName
  BillingCurrency BillingCurrencyCode BillingPeriod BillingPeriodEndDate BillingPeriodStartDate BillingProfileId BillingProfileName
  ChargeType ConsumedQuantity ConsumedService ConsumedServiceId Cost CostAllocationRuleName CostCenter CostInBillingCurrency
  CostInPricingCurrency CostInUsd CostUsd Currency CurrencyCode CustomerName CustomerTenantId Date Day DepartmentId DepartmentName
  EffectivePrice ExchangeRate ExchangeRateDate ExchangeRatePricingToBilling ExtendedCost Frequency InstanceId InvoiceId InvoiceSection
  InvoiceSectionId InvoiceSectionName IsAzureCreditEligible Location MeterCategory MeterId MeterName MeterRegion MeterSubCategory Month
  OfferId OrderNumber PartNumber PartnerEarnedCreditApplied PartnerEarnedCreditRate PartnerName PartnerTenantId
  PaygCostInBillingCurrency PaygCostInUsd PayGPrice PlanName PreTaxCost PreviousInvoiceId PricingCurrency PricingCurrencyCode
  PricingModel Product ProductId ProductName ProductOrderId ProductOrderName Provider PublisherId PublisherName PublisherType Quantity
  ResellerMpnId ResellerName ReservationId ReservationName ResourceGroup ResourceGroupName ResourceId ResourceLocation
  ResourceLocationId ResourceName ResourceRate ResourceType RoundingAdjustment ServiceAdministratorId ServiceFamily ServiceInfo1
  ServiceInfo2 ServiceName ServicePeriodEndDate ServicePeriodStartDate ServiceRegion ServiceResource ServiceTier ServiceType
  StoreServiceIdentifier SubscriptionGuid SubscriptionId SubscriptionName Tags Term UnitOfMeasure UnitPrice UsageDate UsageDateTime
  UsageQuantity Year`.split(/\s+/),
)

export const isOfAzure = (name: string): boolean => azure.has(foldName(name))
