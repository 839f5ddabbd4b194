import type { PurchaseType } from '#streams/billing.ts'
import { amountOf, remembered, textOf, type Columns } from '#streams/billing/columns.ts'
import { termDetails } from '#streams/billing/commitment-term.ts'
import { withoutUndefined, type Draft } from '#streams/billing/draft.ts'
import { tagMap } from '#streams/billing/literal.ts'
import type { Fields } from '#streams/billing/source.ts'
import { scaled, sum } from '#engine/decimal.ts'

/**
 * A row of an AWS Cost and Usage Report, legacy (`lineItem/UnblendedCost`), Athena or 2.0 (`line_item_unblended_cost`).
 * BilledCost is the unblended cost: what the invoice adds up. A line is known by LineItemId and TimeInterval together; the
 * id alone repeats over the hours of a month.
 * @throws Fault `invalid` `tags_invalid`
 */
export function readAwsCur(row: Columns, fields: Fields): Draft {
  const itemType = textOf(row, 'lineitemlineitemtype') ?? 'Usage'
  const line = withoutUndefined({
    ...costs(row, itemType),
    ...places(row),
    ...sku(row),
    ...commitment(row, itemType),
    ...charge(row, itemType),
    BillingCurrency: textOf(row, 'lineitemcurrencycode'),
    ServiceProviderName: 'AWS',
    HostProviderName: 'AWS',
    InvoiceIssuerName: textOf(row, 'billinvoicingentity', 'lineitemlegalentity'),
    InvoiceId: textOf(row, 'billinvoiceid'),
    Tags: tags(row, fields),
  })
  const [id, interval] = [textOf(row, 'identitylineitemid'), textOf(row, 'identitytimeinterval')]
  return id === undefined ? { line } : { line, identity: interval === undefined ? id : `${id}/${interval}` }
}

const unblendedOf = (row: Columns) => amountOf(row, 'lineitemunblendedcost')

function costs(row: Columns, itemType: string) {
  return {
    BilledCost: unblendedOf(row),
    EffectiveCost: effective(row, itemType),
    ListCost: amountOf(row, 'pricingpublicondemandcost'),
  }
}

/**
 * The amortised cost, as AWS works it out: commitments count where they are used, fees only with the part that nothing
 * used, and the negation that evens out covered usage not at all. Undefined: the billed cost.
 */
function effective(row: Columns, itemType: string): string | number | undefined {
  switch (itemType) {
    case 'SavingsPlanCoveredUsage':
      return amountOf(row, 'savingsplansavingsplaneffectivecost')
    case 'DiscountedUsage':
      return amountOf(row, 'reservationeffectivecost')
    case 'SavingsPlanNegation':
    case 'SavingsPlanUpfrontFee':
      return '0'
    case 'SavingsPlanRecurringFee':
      return plus(row, 'savingsplantotalcommitmenttodate', 'savingsplanusedcommitment', '-')
    case 'RIFee':
      return plus(row, 'reservationunusedamortizedupfrontfeeforbillingperiod', 'reservationunusedrecurringfee', '')
    case 'Fee':
      return textOf(row, 'reservationreservationarn') === undefined ? undefined : '0'
    default:
      return undefined
  }
}

/** The sum, or with `-` the difference, of two columns; undefined when the file says neither. Text that is no number is left to the caller. */
function plus(row: Columns, first: string, second: string, sign: '' | '-'): string | undefined {
  const [a, b] = [textOf(row, first), textOf(row, second)]
  if (a === undefined && b === undefined) return undefined
  const other = b === undefined ? '0' : sign === '' ? b : b.startsWith('-') ? b.slice(1) : `-${b.replace(/^\+/, '')}`
  const bad = [a ?? '0', other].find((value) => scaled(value, 0) === undefined)
  return bad ?? sum([a ?? '0', other])
}

const categories: Readonly<Record<string, string>> = {
  Usage: 'Usage',
  DiscountedUsage: 'Usage',
  SavingsPlanCoveredUsage: 'Usage',
  SavingsPlanNegation: 'Usage',
  Tax: 'Tax',
  Fee: 'Purchase',
  RIFee: 'Purchase',
  SavingsPlanUpfrontFee: 'Purchase',
  SavingsPlanRecurringFee: 'Purchase',
  Credit: 'Credit',
}

/** Refunds and what is not listed are adjustments; every kind of discount is a credit. */
function charge(row: Columns, itemType: string) {
  const category = categories[itemType] ?? (itemType.endsWith('Discount') ? 'Credit' : 'Adjustment')
  const recurring = itemType === 'RIFee' || itemType === 'SavingsPlanRecurringFee'
  return {
    ChargeCategory: category,
    ChargeClass: itemType === 'Refund' ? 'Correction' : undefined,
    ChargeFrequency: category === 'Usage' ? 'Usage-Based' : recurring ? 'Recurring' : 'One-Time',
    ChargeDescription: textOf(row, 'lineitemlineitemdescription'),
    ChargePeriodStart: textOf(row, 'lineitemusagestartdate'),
    ChargePeriodEnd: textOf(row, 'lineitemusageenddate'),
    BillingPeriodStart: textOf(row, 'billbillingperiodstartdate'),
    BillingPeriodEnd: textOf(row, 'billbillingperiodenddate'),
  }
}

/** The service is the product code and the region the code of the product's, or its name where a report has no codes. */
function places(row: Columns) {
  return {
    BillingAccountId: textOf(row, 'billpayeraccountid'),
    BillingAccountName: textOf(row, 'billpayeraccountname'),
    SubAccountId: textOf(row, 'lineitemusageaccountid'),
    SubAccountName: textOf(row, 'lineitemusageaccountname'),
    ServiceName: textOf(row, 'lineitemproductcode'),
    ResourceId: textOf(row, 'lineitemresourceid'),
    RegionId: textOf(row, 'productregion', 'productregioncode', 'productlocation'),
    RegionName: textOf(row, 'productlocation'),
    AvailabilityZone: textOf(row, 'lineitemavailabilityzone'),
  }
}

function sku(row: Columns) {
  const quantity = amountOf(row, 'lineitemusageamount')
  const unit = textOf(row, 'pricingunit')
  return {
    SkuId: textOf(row, 'productsku'),
    SkuMeter: textOf(row, 'lineitemusagetype'),
    SkuPriceId: textOf(row, 'pricingratecode'),
    ListUnitPrice: amountOf(row, 'pricingpublicondemandrate'),
    ConsumedQuantity: quantity,
    ConsumedUnit: unit,
    PricingQuantity: quantity,
    PricingUnit: unit,
  }
}

function commitment(row: Columns, itemType: string) {
  const purchaseType = purchase(row, itemType)
  const plan = textOf(row, 'savingsplansavingsplanarn')
  const id = plan ?? textOf(row, 'reservationreservationarn')
  if (id === undefined) return { purchaseType, PricingCategory: purchaseType === 'spot' ? 'Dynamic' : undefined }
  return {
    purchaseType,
    CommitmentDiscountId: id,
    CommitmentDiscountType: plan === undefined ? 'Reserved Instance' : 'Savings Plan',
    CommitmentDiscountCategory: plan === undefined ? 'Usage' : 'Spend',
    SkuPriceDetails: termDetails({
      endsAt: textOf(row, 'savingsplanendtime', 'reservationendtime'),
      term: textOf(row, 'savingsplanpurchaseterm', 'pricingleasecontractlength'),
    }),
  }
}

function purchase(row: Columns, itemType: string): PurchaseType {
  if (itemType.startsWith('SavingsPlan')) return 'savings_plan'
  if (itemType === 'DiscountedUsage' || itemType === 'RIFee') return 'reserved'
  const spot =
    /spotusage/i.test(textOf(row, 'lineitemusagetype') ?? '') || /^spot$/i.test(textOf(row, 'pricingterm') ?? '')
  return spot ? 'spot' : 'on_demand'
}

const tagColumn = /^resource_?tags[/_](?:user[:_])?(?=.)/i

/** The tag a column holds; empty when it holds none. Athena's names have underscores where the report has marks. */
const tagOf = remembered((name) => (tagColumn.test(name) ? name.replace(tagColumn, '') : ''))

/** Cost allocation tags: those a person set lose the prefix `user:`, those of AWS keep theirs. Empty ones are no tags. */
function tags(row: Columns, fields: Fields): Record<string, unknown> | undefined {
  const entries: [string, unknown][] = []
  for (const name in fields) {
    const tag = tagOf(name)
    if (tag !== '' && fields[name] !== '' && fields[name] !== null) entries.push([tag, fields[name]])
  }
  for (const [name, value] of Object.entries(tagMap(row['resourcetags']) ?? {})) {
    if (value !== '') entries.push([name.replace(/^user[_:]/, ''), value])
  }
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
