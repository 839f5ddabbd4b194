import { dayMs, dayOf } from '#engine/value/day.ts'
import type { PurchaseType } from '#streams/billing/messages.ts'
import { amountOf, textOf, type Columns } from './columns.ts'
import { termDetails } from './commitment-term.ts'
import { withoutUndefined, type LineDraft, type LineMeasures, type MeasureReader, type RowTools } from './draft.ts'
import { tagMap, type Warn } from './literal.ts'
import { moneyPlaces } from '#streams/billing/line/precision.ts'
import type { Survey } from '#streams/billing/row/survey.ts'
import { toUnits } from '#engine/value/decimal.ts'

/** Columns that are not case-sensitive: Azure writes `COSTMGMT` in one row and `costmgmt` in the next. */
export const azureCaseless: ReadonlySet<string> = new Set([
  'resourceid',
  'instanceid',
  'resourcegroup',
  'resourcegroupname',
  'resourcename',
  'resourcelocation',
  'subscriptionid',
  'subscriptionguid',
])

const billed = ['costinbillingcurrency', 'cost', 'pretaxcost', 'extendedcost'] as const

/**
 * Reads a row of an Azure cost export of an enterprise agreement, a customer agreement or pay-as-you-go, actual or
 * amortized. The effective cost is the exported one: an amortized export is already amortized, and an actual export
 * lacks the data for it. Exporting both for one month counts costs twice, which causes a warning. A row contains its
 * value in US dollars, either as costs, or as the exchange rate if prices are in dollars.
 */
export function readAzureExport(row: Columns, _fields: unknown, { survey, warn }: RowTools): LineDraft {
  noteForm(row, survey, warn)
  const line = withoutUndefined({
    ...measures(row),
    BillingCurrency: textOf(row, 'billingcurrency', 'billingcurrencycode', 'currency', 'currencycode'),
    perUsd: isOfDollars(row) ? amountOf(row, 'exchangeratepricingtobilling', 'exchangerate') : undefined,
    ...charge(row),
    ...periods(row),
    ...places(row),
    ...sku(row),
    ...commitment(row),
    ServiceProviderName: 'Microsoft',
    InvoiceIssuerName: 'Microsoft',
    PublisherName: textOf(row, 'publishername'),
    InvoiceId: textOf(row, 'invoiceid'),
    Tags: tagMap(row['tags'], warn),
  })
  return { line }
}

/** Actual costs contain the purchase of a commitment and nothing for its use; amortized costs contain only the use. */
function noteForm(row: Columns, { azure }: Survey, warn: Warn): void {
  const cost = amountOf(row, ...billed)
  if (textOf(row, 'benefitid', 'reservationid') === undefined || cost === undefined || !toUnits(cost, moneyPlaces))
    return
  const type = (textOf(row, 'chargetype') ?? '').toLowerCase()
  const had = azure.hasPurchases && azure.hasUse
  if (type === 'purchase') azure.hasPurchases = true
  else if (chargeTypes[type] === 'Usage') azure.hasUse = true
  if (azure.hasPurchases && azure.hasUse && !had)
    warn(
      'costs_twice',
      'The bill has purchases of commitments, as actual costs have, and costs of their use, as amortized costs have: costs that are exported in both forms count twice.',
    )
}

const chargeTypes: Readonly<Record<string, string>> = {
  usage: 'Usage',
  unusedreservation: 'Usage',
  unusedsavingsplan: 'Usage',
  purchase: 'Purchase',
  tax: 'Tax',
  credit: 'Credit',
}
const frequencies: Readonly<Record<string, string>> = {
  onetime: 'One-Time',
  recurring: 'Recurring',
  usagebased: 'Usage-Based',
}

/** Refunds and rounding are adjustments; an export without charge types contains usage. */
function charge(row: Columns) {
  const type = (textOf(row, 'chargetype') ?? 'Usage').toLowerCase()
  return {
    ChargeCategory: chargeTypes[type] ?? 'Adjustment',
    ChargeClass: type === 'refund' ? 'Correction' : undefined,
    ChargeFrequency: frequencies[(textOf(row, 'frequency') ?? '').toLowerCase()],
    ChargeDescription: textOf(row, 'product', 'productname'),
    CommitmentDiscountStatus: type.startsWith('unused') ? 'Unused' : undefined,
  }
}

const pricingCurrency = (row: Columns) => textOf(row, 'pricingcurrency', 'pricingcurrencycode')

const isOfDollars = (row: Columns): boolean => (pricingCurrency(row) ?? 'USD').trim().toUpperCase() === 'USD'

const quantities = ['quantity', 'usagequantity', 'consumedquantity'] as const
const days = ['date', 'usagedatetime', 'usagedate'] as const

function measures(row: Columns): LineMeasures {
  const isPriced = isOfDollars(row) && pricingCurrency(row) !== undefined
  const usdCosts = withoutUndefined({
    BilledCost:
      amountOf(row, 'costinusd', 'costusd') ?? (isPriced ? amountOf(row, 'costinpricingcurrency') : undefined),
    ListCost: amountOf(row, 'paygcostinusd'),
  })
  const quantity = amountOf(row, ...quantities)
  return withoutUndefined({
    BilledCost: amountOf(row, ...billed),
    ListCost: amountOf(row, 'paygcostinbillingcurrency'),
    ConsumedQuantity: quantity,
    PricingQuantity: quantity,
    ChargePeriodStart: textOf(row, ...days),
    usdCosts: Object.keys(usdCosts).length > 0 ? usdCosts : undefined,
  })
}

export const azureMeasured: MeasureReader = {
  columns: new Set([
    ...billed,
    ...quantities,
    ...days,
    'paygcostinbillingcurrency',
    'costinusd',
    'costusd',
    'costinpricingcurrency',
    'paygcostinusd',
  ]),
  context: ['pricingcurrency', 'pricingcurrencycode'],
  read: measures,
  texts: [
    ['billingaccountid', 'BillingAccountId'],
    ['billingaccountname', 'BillingAccountName'],
    ['subscriptionname', 'SubAccountName'],
    ['metersubcategory', 'ServiceSubcategory'],
    ['availabilityzone', 'AvailabilityZone'],
    ['meterid', 'SkuId'],
    ['metername', 'SkuMeter'],
    ['partnumber', 'SkuPriceId'],
    ['invoiceid', 'InvoiceId'],
  ],
  prices: [['paygprice', 'ListUnitPrice']],
  maps: [['tags', 'Tags']],
  isWhole: (row) => textOf(row, 'benefitid', 'reservationid') !== undefined,
}

/** Azure gives the last day of a billing period, FOCUS the first day after it. */
function periods(row: Columns) {
  const end = textOf(row, 'billingperiodenddate')
  const last = end && /^\d{4}-\d{2}-\d{2}$/.test(end) ? Date.parse(end) : Number.NaN
  return {
    BillingPeriodStart: textOf(row, 'billingperiodstartdate'),
    BillingPeriodEnd: Number.isNaN(last) ? undefined : dayOf(last + dayMs),
  }
}

function places(row: Columns) {
  const id = textOf(row, 'resourceid', 'instanceid')
  const named = textOf(row, 'resourcename') ?? id?.split('/').findLast((part) => part !== '')
  return {
    BillingAccountId: textOf(row, 'billingaccountid'),
    BillingAccountName: textOf(row, 'billingaccountname'),
    SubAccountId: textOf(row, 'subscriptionid', 'subscriptionguid')?.toLowerCase(),
    SubAccountName: textOf(row, 'subscriptionname'),
    ServiceName: textOf(row, 'metercategory', 'servicename', 'consumedservice'),
    ServiceSubcategory: textOf(row, 'metersubcategory'),
    ResourceId: id?.toLowerCase(),
    ResourceName: named,
    ResourceType: (textOf(row, 'resourcetype') ?? typeIn(id))?.toLowerCase(),
    RegionId: region(textOf(row, 'resourcelocation', 'location')),
    AvailabilityZone: textOf(row, 'availabilityzone'),
  }
}

/**
 * The resource type in a resource id: `microsoft.compute/virtualmachines` in
 * `/subscriptions/../providers/Microsoft.Compute/virtualMachines/vm1`.
 */
const typeIn = (id: string | undefined): string | undefined => /.*\/providers\/([^/]+\/[^/]+)/i.exec(id ?? '')?.[1]

const countries: Readonly<Record<string, string>> = {
  ae: 'uae',
  at: 'austria',
  au: 'australia',
  be: 'belgium',
  br: 'brazil',
  ca: 'canada',
  ch: 'switzerland',
  cl: 'chile',
  cn: 'china',
  de: 'germany',
  es: 'spain',
  fr: 'france',
  id: 'indonesia',
  il: 'israel',
  it: 'italy',
  ja: 'japan',
  kr: 'korea',
  mx: 'mexico',
  my: 'malaysia',
  no: 'norway',
  nz: 'newzealand',
  pl: 'poland',
  qa: 'qatar',
  se: 'sweden',
  tw: 'taiwan',
  za: 'southafrica',
}
const wholes: Readonly<Record<string, string>> = { us: 'us', eu: 'europe', in: 'india', ap: 'asia' }

/** Returns `eastus2` for `EastUS2`, `East US 2` and the billing system's `US East 2`. */
function region(value: string | undefined): string | undefined {
  const lower = value?.trim().toLowerCase()
  const [, place = '', side = '', number = ''] = /^([a-z]{2}) ([a-z ]+?) ?(\d?)$/.exec(lower ?? '') ?? []
  if (place in countries) return `${countries[place]}${side}${number}`.replaceAll(' ', '')
  if (place in wholes && !/^(gov|dod|sec) /.test(side)) return `${side}${wholes[place]}${number}`.replaceAll(' ', '')
  return lower?.replaceAll(/[\s_-]/g, '')
}

function sku(row: Columns) {
  const unit = textOf(row, 'unitofmeasure')
  return {
    SkuId: textOf(row, 'meterid'),
    SkuMeter: textOf(row, 'metername'),
    SkuPriceId: textOf(row, 'partnumber'),
    ListUnitPrice: amountOf(row, 'paygprice'),
    ContractedUnitPrice: amountOf(row, 'unitprice', 'resourcerate'),
    ConsumedUnit: unit,
    PricingUnit: unit,
  }
}

const pricingModels: Readonly<Record<string, PurchaseType>> = {
  ondemand: 'on_demand',
  reservation: 'reserved',
  spot: 'spot',
  savingsplan: 'savings_plan',
}

function commitment(row: Columns) {
  const model = (textOf(row, 'pricingmodel') ?? '').toLowerCase().replaceAll(/[^a-z]/g, '')
  const id = textOf(row, 'benefitid', 'reservationid')?.toLowerCase()
  const isPlan = pricingModels[model] === 'savings_plan' || (id ?? '').includes('savingsplan')
  if (id === undefined) {
    return {
      purchaseType: pricingModels[model] ?? 'on_demand',
      PricingCategory: model === 'spot' ? 'Dynamic' : undefined,
    }
  }
  return {
    CommitmentDiscountId: id,
    CommitmentDiscountName: textOf(row, 'benefitname', 'reservationname'),
    CommitmentDiscountType: isPlan ? 'Savings Plan' : 'Reservation',
    CommitmentDiscountCategory: isPlan ? 'Spend' : 'Usage',
    SkuPriceDetails: termDetails({ term: textOf(row, 'term') }),
  }
}
