import type { PurchaseType } from '#streams/billing.ts'
import { amountOf, textOf, type Columns } from '#streams/billing/columns.ts'
import { withoutUndefined, type Draft } from '#streams/billing/draft.ts'
import { literal, tagMap } from '#streams/billing/literal.ts'
import { Fault } from '#engine/fault.ts'
import { utc } from '#streams/billing/cost-line.ts'
import { scaled, sum } from '#engine/decimal.ts'

/**
 * A row of a Google Cloud billing export, standard or detailed, from BigQuery as JSON lines or flattened to CSV.
 * BilledCost is the net, the cost and its credits: that is what the invoice adds up, while `cost` alone is the price before
 * every discount Google grants as a credit. So `cost` stands as ListCost, and nothing is lost.
 * @throws Fault `invalid` `credits_invalid`, `tags_invalid`, `date_invalid`
 */
export function readGcpExport(row: Columns): Draft {
  const cost = amountOf(row, 'cost')
  const credits = creditsOf(row)
  const exported = textOf(row, 'exporttime')
  const line = withoutUndefined({
    BilledCost: cost === undefined ? undefined : net(cost, credits),
    ListCost: cost,
    BillingCurrency: textOf(row, 'currency'),
    ...charge(row),
    ...places(row),
    ...sku(row),
    purchaseType: purchase(row, credits),
    ServiceProviderName: 'Google Cloud',
    InvoiceIssuerName: textOf(row, 'sellername') ?? 'Google Cloud',
    Tags: tags(row),
    exportedAt: exported === undefined ? undefined : `${utc(exported, 'export_time', true)}Z`,
  })
  return { line }
}

interface Credit {
  amount: string | number
  type: string
}

function creditsOf(row: Columns): Credit[] {
  const value = row['credits'] ?? []
  const list = typeof value === 'string' ? literal(value) : value
  if (!Array.isArray(list)) throw Fault.invalid('credits_invalid', 'The credits are no list.')
  return list.map((entry: unknown) => {
    const { amount, type } = (entry ?? {}) as Record<string, unknown>
    const number = amount ?? 0
    if ((typeof number !== 'number' && typeof number !== 'string') || scaled(number, 0) === undefined) {
      throw Fault.invalid('credits_invalid', 'A credit has no amount that is a number.')
    }
    return { amount: number, type: typeof type === 'string' ? type : '' }
  })
}

/** A cost that is no number is left for `costLine` to refuse. */
function net(cost: string | number, credits: readonly Credit[]): string | number {
  if (credits.length === 0 || scaled(cost, 0) === undefined) return cost
  return sum([cost, ...credits.map((credit) => credit.amount)])
}

const categories: Readonly<Record<string, string>> = {
  regular: 'Usage',
  tax: 'Tax',
  adjustment: 'Adjustment',
  rounding_error: 'Adjustment',
}

function charge(row: Columns) {
  const type = (textOf(row, 'costtype') ?? 'regular').toLowerCase()
  return {
    ChargeCategory: categories[type] ?? 'Adjustment',
    ChargeFrequency: type === 'regular' ? 'Usage-Based' : 'One-Time',
    ChargeDescription: textOf(row, 'skudescription'),
    ChargePeriodStart: textOf(row, 'usagestarttime'),
    ChargePeriodEnd: textOf(row, 'usageendtime'),
    ...invoiceMonth(textOf(row, 'invoicemonth')),
  }
}

/** `202011` is the billing period from 1 November to 1 December 2020. */
function invoiceMonth(value: string | undefined) {
  const [, year, month] = /^(\d{4})-?(0[1-9]|1[0-2])$/.exec(value ?? '') ?? []
  if (year === undefined) return {}
  const [from, to] = [Number(month) - 1, Number(month)].map((n) =>
    new Date(Date.UTC(Number(year), n, 1)).toISOString().slice(0, 10),
  )
  return { BillingPeriodStart: from, BillingPeriodEnd: to }
}

function places(row: Columns) {
  const name = textOf(row, 'resourcename')
  return {
    BillingAccountId: textOf(row, 'billingaccountid'),
    SubAccountId: textOf(row, 'projectid'),
    SubAccountName: textOf(row, 'projectname'),
    ServiceName: textOf(row, 'servicedescription', 'serviceid'),
    ResourceId: textOf(row, 'resourceglobalname') ?? name,
    ResourceName: name,
    RegionId: textOf(row, 'locationregion', 'locationlocation'),
    AvailabilityZone: textOf(row, 'locationzone'),
  }
}

function sku(row: Columns) {
  return {
    SkuId: textOf(row, 'skuid'),
    SkuMeter: textOf(row, 'skudescription'),
    ConsumedQuantity: amountOf(row, 'usageamount'),
    ConsumedUnit: textOf(row, 'usageunit'),
    PricingQuantity: amountOf(row, 'usageamountinpricingunits'),
    PricingUnit: textOf(row, 'usagepricingunit'),
  }
}

/** Google has no column for it: the SKU's name says spot, a credit for committed use says reserved. */
function purchase(row: Columns, credits: readonly Credit[]): PurchaseType {
  const name = textOf(row, 'skudescription') ?? ''
  if (/\b(spot|preemptible)\b/i.test(name)) return 'spot'
  const committed =
    /^commitment\b/i.test(name) || credits.some((credit) => credit.type.startsWith('COMMITTED_USAGE_DISCOUNT'))
  return committed ? 'reserved' : 'on_demand'
}

/** Labels of the project, tags that policies set, labels of the resource: where several use a key, the last of these wins. */
function tags(row: Columns): Record<string, unknown> | undefined {
  const all = Object.entries({ ...tagMap(row['projectlabels']), ...tagMap(row['tags']), ...tagMap(row['labels']) })
  return all.length === 0 ? undefined : Object.fromEntries(all)
}
