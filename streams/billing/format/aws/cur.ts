import { isMeasure } from '#streams/billing/line/line-id.ts'
import { moneyPlaces } from '#streams/billing/line/precision.ts'
import type { PurchaseType } from '#streams/billing/messages.ts'
import { awsUid } from './resource.ts'
import { awsTags } from './tag.ts'
import { split } from './split.ts'
import { amountOf, textOf, type Columns } from '#streams/billing/format/columns.ts'
import { termDetails } from '#streams/billing/format/commitment-term.ts'
import {
  withoutUndefined,
  type LineDraft,
  type LineMeasures,
  type MeasureReader,
  type RowTools,
} from '#streams/billing/format/draft.ts'
import type { Fields } from '#streams/billing/file/source.ts'
import type { Survey } from '#streams/billing/row/survey.ts'
import { divideRounded, plain, toUnits, sum } from '#engine/value/decimal.ts'

/**
 * Reads a row of an AWS Cost and Usage Report: legacy (`lineItem/UnblendedCost`), Athena or 2.0
 * (`line_item_unblended_cost`). BilledCost is the unblended cost, which the invoice adds up. If the report has net
 * costs, ContractedCost and EffectiveCost are after negotiated discounts, and the lines of these discounts have 0 in
 * both. LineItemId and TimeInterval together identify a line; the id alone repeats within a month.
 */
export function readAwsCur(row: Columns, fields: Fields, { survey, warn }: RowTools): LineDraft {
  const itemType = typeOf(row)
  const { identity, ...measured } = measures(row, survey)
  const line = withoutUndefined({
    ...measured,
    ...places(row),
    ...sku(row),
    ...commitment(row, itemType),
    ...charge(row, itemType),
    BillingCurrency: textOf(row, 'lineitemcurrencycode'),
    ServiceProviderName: 'AWS',
    HostProviderName: 'AWS',
    PublisherName: textOf(row, 'lineitemlegalentity'),
    InvoiceIssuerName: textOf(row, 'billinvoicingentity', 'lineitemlegalentity'),
    InvoiceId: textOf(row, 'billinvoiceid'),
    Tags: awsTags(row, fields, warn),
  })
  const draft = split(row, line, warn)
  return identity === undefined ? draft : { ...draft, identity }
}

const typeOf = (row: Columns): string => textOf(row, 'lineitemlineitemtype') ?? 'Usage'

function measures(row: Columns, survey: Survey): LineMeasures {
  const [id, interval] = [textOf(row, 'identitylineitemid'), textOf(row, 'identitytimeinterval')]
  const quantity = amountOf(row, 'lineitemusageamount')
  return withoutUndefined({
    ...costs(row, typeOf(row), survey.hasNet),
    ConsumedQuantity: quantity,
    PricingQuantity: quantity,
    ChargePeriodStart: textOf(row, 'lineitemusagestartdate'),
    ChargePeriodEnd: textOf(row, 'lineitemusageenddate'),
    identity: id === undefined || interval === undefined ? id : `${id}/${interval}`,
  })
}

/** The region is the code, or the name if the report has no codes. */
const regionColumns = ['productregion', 'productregioncode', 'productlocation'] as const

function resourceId(row: Columns): string | undefined {
  const id = textOf(row, 'lineitemresourceid')
  return id && awsUid(id, textOf(row, 'lineitemproductcode'), textOf(row, ...regionColumns))
}

export const awsMeasured: MeasureReader = {
  columns: new Set([
    'identitylineitemid',
    'identitytimeinterval',
    'lineitemunblendedcost',
    'lineitemnetunblendedcost',
    'lineitemusageamount',
    'lineitemusagestartdate',
    'lineitemusageenddate',
    'pricingpublicondemandcost',
    'savingsplannetsavingsplaneffectivecost',
    'savingsplansavingsplaneffectivecost',
    'savingsplantotalcommitmenttodate',
    'savingsplanusedcommitment',
    'reservationneteffectivecost',
    'reservationeffectivecost',
    'reservationnetunusedamortizedupfrontfeeforbillingperiod',
    'reservationnetunusedrecurringfee',
    'reservationunusedamortizedupfrontfeeforbillingperiod',
    'reservationunusedrecurringfee',
  ]),
  context: [
    'lineitemlineitemtype',
    'savingsplansavingsplanarn',
    'reservationreservationarn',
    'lineitemproductcode',
    ...regionColumns,
  ],
  read: measures,
  texts: [
    ['billpayeraccountid', 'BillingAccountId'],
    ['billpayeraccountname', 'BillingAccountName'],
    ['lineitemusageaccountid', 'SubAccountId'],
    ['lineitemusageaccountname', 'SubAccountName'],
    ['lineitemresourceid', 'ResourceId'],
    ['lineitemlineitemdescription', 'ChargeDescription'],
    ['lineitemavailabilityzone', 'AvailabilityZone'],
    ['productsku', 'SkuId'],
    ['pricingratecode', 'SkuPriceId'],
  ],
  prices: [['pricingpublicondemandrate', 'ListUnitPrice']],
  resourceId,
  maps: [],
  isUnread: (name) => isMeasure(name) && !name.startsWith('splitlineitem'),
  isWhole: (row) => textOf(row, 'splitlineitemparentresourceid') !== undefined,
}

/** Notes whether any line has a cost after negotiated discounts: the column may exist but be empty. */
export function surveyNet(row: Columns, survey: Survey): void {
  if (row['lineitemnetunblendedcost'] !== undefined && !isDiscount(textOf(row, 'lineitemlineitemtype') ?? ''))
    survey.hasNet = true
}

const isDiscount = (itemType: string): boolean => itemType.endsWith('Discount')

const unblendedOf = (row: Columns) => amountOf(row, 'lineitemunblendedcost')

const netOf = (row: Columns) => amountOf(row, 'lineitemnetunblendedcost')

function costs(row: Columns, itemType: string, hasNet: boolean) {
  const contracted = hasNet && isDiscount(itemType) ? (netOf(row) ?? '0') : netOf(row)
  // Usage covered by a plan has its on-demand price, and this line cancels that. Contracted and list costs are already
  // on the usage's line.
  if (itemType === 'SavingsPlanNegation')
    return { BilledCost: unblendedOf(row), EffectiveCost: '0', ContractedCost: '0', ListCost: '0' }
  return {
    BilledCost: unblendedOf(row),
    EffectiveCost: effective(row, itemType) ?? contracted,
    ContractedCost: contracted,
    ListCost: amountOf(row, 'pricingpublicondemandcost'),
  }
}

/**
 * The amortized cost, as AWS calculates it: commitments count where they are used, fees only with their unused part,
 * and the negation of covered usage counts 0. A refund of a commitment counts 0, like its purchase. Undefined if the
 * line's effective cost is its contracted cost.
 */
function effective(row: Columns, itemType: string): string | number | undefined {
  switch (itemType) {
    case 'SavingsPlanCoveredUsage':
      return amountOf(row, 'savingsplannetsavingsplaneffectivecost', 'savingsplansavingsplaneffectivecost')
    case 'DiscountedUsage':
      return amountOf(row, 'reservationneteffectivecost', 'reservationeffectivecost')
    case 'SavingsPlanUpfrontFee':
      return '0'
    case 'SavingsPlanRecurringFee':
      return applyDiscount(row, plus(row, 'savingsplantotalcommitmenttodate', 'savingsplanusedcommitment', '-'))
    case 'RIFee':
      return (
        plus(row, 'reservationnetunusedamortizedupfrontfeeforbillingperiod', 'reservationnetunusedrecurringfee', '') ??
        plus(row, 'reservationunusedamortizedupfrontfeeforbillingperiod', 'reservationunusedrecurringfee', '')
      )
    case 'Fee':
    case 'Refund':
      return commitmentId(row) === undefined ? undefined : '0'
    default:
      return undefined
  }
}

const commitmentId = (row: Columns) => textOf(row, 'savingsplansavingsplanarn', 'reservationreservationarn')

/** `amount` reduced by the line's negotiated discount. */
function applyDiscount(row: Columns, amount: string | undefined): string | undefined {
  const [net, whole] = [netOf(row), unblendedOf(row)].map((cost) => cost !== undefined && toUnits(cost, moneyPlaces))
  const units = amount === undefined ? undefined : toUnits(amount, moneyPlaces)
  if (!net || !whole || units === undefined) return amount
  return plain(divideRounded(units * net, whole), moneyPlaces)
}

/**
 * The sum, or with `-` the difference, of two columns. Undefined if both are missing. Invalid text is returned as it
 * is, for the caller to refuse.
 */
function plus(row: Columns, first: string, second: string, sign: '' | '-'): string | undefined {
  const [a, b] = [textOf(row, first), textOf(row, second)]
  if (a === undefined && b === undefined) return undefined
  const other = b === undefined ? '0' : sign === '' ? b : b.startsWith('-') ? b.slice(1) : `-${b.replace(/^\+/, '')}`
  const bad = [a ?? '0', other].find((value) => toUnits(value, 0) === undefined)
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

/**
 * A refund of a commitment corrects its purchase. Other refunds and unknown types are adjustments. Every kind of
 * discount is a credit.
 */
function charge(row: Columns, itemType: string) {
  const isReturned = itemType === 'Refund' && commitmentId(row) !== undefined
  const other = isReturned ? 'Purchase' : isDiscount(itemType) ? 'Credit' : 'Adjustment'
  const category = categories[itemType] ?? other
  const recurring = itemType === 'RIFee' || itemType === 'SavingsPlanRecurringFee'
  return {
    ChargeCategory: category,
    ChargeClass: itemType === 'Refund' ? 'Correction' : undefined,
    ChargeFrequency: category === 'Usage' ? 'Usage-Based' : recurring ? 'Recurring' : 'One-Time',
    ChargeDescription: textOf(row, 'lineitemlineitemdescription'),
    BillingPeriodStart: textOf(row, 'billbillingperiodstartdate'),
    BillingPeriodEnd: textOf(row, 'billbillingperiodenddate'),
  }
}

/** The service is the product code. */
function places(row: Columns) {
  return {
    BillingAccountId: textOf(row, 'billpayeraccountid'),
    BillingAccountName: textOf(row, 'billpayeraccountname'),
    SubAccountId: textOf(row, 'lineitemusageaccountid'),
    SubAccountName: textOf(row, 'lineitemusageaccountname'),
    ServiceName: textOf(row, 'lineitemproductcode'),
    ResourceId: resourceId(row),
    RegionId: textOf(row, ...regionColumns),
    RegionName: textOf(row, 'productlocation'),
    AvailabilityZone: textOf(row, 'lineitemavailabilityzone'),
  }
}

function sku(row: Columns) {
  const unit = textOf(row, 'pricingunit')
  return {
    SkuId: textOf(row, 'productsku'),
    SkuMeter: textOf(row, 'lineitemusagetype'),
    SkuPriceId: textOf(row, 'pricingratecode'),
    ListUnitPrice: amountOf(row, 'pricingpublicondemandrate'),
    ConsumedUnit: unit,
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
