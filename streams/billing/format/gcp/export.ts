import { sum, toUnits } from '#engine/value/decimal.ts'
import type { PurchaseType } from '#streams/billing/messages.ts'
import { amountOf, textOf, type Columns } from '#streams/billing/format/columns.ts'
import { withoutUndefined, type LineDraft, type RowTools } from '#streams/billing/format/draft.ts'
import { exportTime } from '#streams/billing/format/export-time.ts'
import { commitmentOf } from './commitment.ts'
import { creditsOf, type Credit } from './credit.ts'
import { tagMap, type Warn } from '#streams/billing/format/literal.ts'

/**
 * Reads a row of a Google Cloud billing export, standard or detailed, from BigQuery as JSON lines or flattened to CSV.
 * BilledCost is the cost plus credits, which the invoice adds up; `cost` alone is before all discounts that Google
 * grants as credits. ListCost is `cost_at_list`, or `cost`. The cost of committed use is moved from fees to the use
 * (`commitment.ts`). Each line contains the exchange rate to US dollars.
 * @throws Fault `invalid` `credits_invalid`, `date_invalid` for committed use
 */
export function readGcpExport(row: Columns, _fields: unknown, { survey, warn }: RowTools): LineDraft {
  const cost = amountOf(row, 'cost')
  const credits = creditsOf(row)
  const billed = cost === undefined ? undefined : net(cost, credits)
  const line = withoutUndefined({
    BilledCost: billed,
    ContractedCost: amountOf(row, 'costateffectivepricedefault'),
    ListCost: amountOf(row, 'costatlist') ?? cost,
    BillingCurrency: textOf(row, 'currency'),
    perUsd: amountOf(row, 'currencyconversionrate'),
    ...charge(row),
    ...places(row),
    ...sku(row),
    purchaseType: purchase(row),
    ServiceProviderName: 'Google Cloud',
    InvoiceIssuerName: textOf(row, 'sellername') ?? 'Google Cloud',
    Tags: tags(row, warn),
    exportedAt: exportTime(textOf(row, 'exporttime'), 'export_time', warn),
  })
  return commitmentOf(row, credits, line, survey.commitments)
}

/** An invalid cost is left for `costLine` to refuse. */
function net(cost: string | number, credits: readonly Credit[]): string | number {
  if (credits.length === 0 || toUnits(cost, 0) === undefined) return cost
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

/** Google has no column for spot use; the SKU's name shows it. Committed use: `commitment.ts`. */
const purchase = (row: Columns): PurchaseType =>
  /\b(spot|preemptible)\b/i.test(textOf(row, 'skudescription') ?? '') ? 'spot' : 'on_demand'

/** Project labels, tags and resource labels; for the same key the later of these wins. */
function tags(row: Columns, warn: Warn): Record<string, unknown> | undefined {
  const maps = ['projectlabels', 'tags', 'labels'].map((name) => tagMap(row[name], warn))
  const all = Object.entries(Object.assign({}, ...maps) as Record<string, unknown>)
  return all.length === 0 ? undefined : Object.fromEntries(all)
}
