import { amountOf, cellAmount, cellText, foldName, textOf, type Columns } from './columns.ts'
import { objectOf, termDetails } from './commitment-term.ts'
import type { LineDraft, LineMeasures, MeasureReader, RowTools } from './draft.ts'
import { awsUid } from './aws/resource.ts'
import { tagMap } from './literal.ts'
import { exportTime } from './export-time.ts'
import {
  focusJson,
  focusMaps,
  focusMoney,
  focusPrices,
  focusQuantities,
  focusText,
  focusUnread,
  renamedColumns,
} from '#streams/focus-columns.ts'

const withFoldedNames = (names: readonly string[]) => names.map((name) => [name, foldName(name)] as const)
/**
 * If two columns set the same name, the later one wins. Our own FOCUS 1.4 exports have the publisher in a custom
 * column.
 */
const texts = [
  ['PublisherName', 'xpublishername'] as const,
  ...withFoldedNames([...focusText, 'BillingPeriodStart', 'BillingPeriodEnd']),
  ...withFoldedNames([...Object.keys(renamedColumns), 'PublisherName']),
]
const prices = withFoldedNames(focusPrices)
const amounts = withFoldedNames([...focusMoney, ...focusQuantities])
const times = withFoldedNames(['ChargePeriodStart', 'ChargePeriodEnd'])
const maps = withFoldedNames(focusMaps)
const documents = withFoldedNames(focusJson)

/** Texts for null that exporters write, besides the empty text. */
export const focusNulls: ReadonlySet<string> = new Set(['NULL', 'null'])

/**
 * Reads a row of FOCUS 1.0 to 1.4: columns under their own names, in any case. Renamed columns keep their old names
 * here; `costLine` renames them. Azure has custom columns for costs in US dollars, and for units of the bill's currency
 * per unit of the pricing currency.
 */
export function readFocus(row: Columns, _fields: unknown, { warn }: RowTools): LineDraft {
  const line: Record<string, unknown> = { ...measures(row) }
  for (const [name, key] of texts) if (key in row) line[name] = textOf(row, key)
  for (const [name, key] of prices) if (key in row) line[name] = amountOf(row, key)
  for (const [name, key] of maps) if (key in row) line[name] = tagMap(row[key], warn) ?? {}
  for (const [name, key] of documents) if (key in row) line[name] = row[key]
  Object.assign(line, resource(row), exchangeRate(row))
  if (line['CommitmentDiscountId'] !== undefined) keepTerm(line, textOf(row, 'xskuterm'))
  const exported = exportTime(textOf(row, 'xexporttime', 'exporttime'), 'x_ExportTime', warn)
  if (exported !== undefined) line['exportedAt'] = exported
  return { line }
}

function resourceId(row: Columns): string | undefined {
  const id = textOf(row, 'resourceid')
  return id && awsUid(id, textOf(row, 'servicename'), textOf(row, 'regionid', 'region'))
}

const resource = (row: Columns) => ('resourceid' in row ? { ResourceId: resourceId(row) } : {})

/** A cost, and the columns that have it in US dollars. */
const inUsd: readonly (readonly [cost: string, first: string, second?: string])[] = [
  ['BilledCost', 'xbilledcostinusd'],
  ['EffectiveCost', 'xeffectivecostinusd'],
  ['ContractedCost', 'xcontractedcostinusd', 'xondemandcostinusd'],
  ['ListCost', 'xlistcostinusd'],
]

/**
 * FOCUS 1.2 and later: the effective cost in the pricing currency, if that is US dollars and the billing currency is
 * not.
 */
function priced(row: Columns): { EffectiveCost?: string | number | undefined } {
  const currency = textOf(row, 'billingcurrency') ?? ''
  const isForeign = /^\s*[a-z]{3}\s*$/i.test(currency) && !isDollars(currency)
  return isForeign && isDollars(textOf(row, 'pricingcurrency') ?? '')
    ? { EffectiveCost: amountOf(row, 'pricingcurrencyeffectivecost') }
    : {}
}

const isDollars = (currency: string): boolean => currency.trim().toUpperCase() === 'USD'

function measures(row: Columns): LineMeasures {
  const line: Record<string, unknown> = {}
  for (const [name, key] of amounts) if (row[key] !== undefined) line[name] = cellAmount(row, key)
  for (const [name, key] of times) if (row[key] !== undefined) line[name] = cellText(row, key)
  const usdCosts: Record<string, unknown> = {}
  for (const [name, first, second] of inUsd) {
    const amount = cellAmount(row, first) ?? (second && cellAmount(row, second))
    if (amount !== undefined) usdCosts[name] = amount
  }
  if (usdCosts['EffectiveCost'] === undefined && row['pricingcurrencyeffectivecost'] !== undefined)
    Object.assign(usdCosts, priced(row))
  if (Object.values(usdCosts).some((cost) => cost !== undefined)) line['usdCosts'] = usdCosts
  return line
}

/** Texts that nothing else is found out from. */
const copied = focusUnread.filter((name) => !Object.values(renamedColumns).includes(name))

export const focusMeasured: MeasureReader = {
  columns: new Set([
    ...[...amounts, ...times].map(([, key]) => key),
    ...inUsd.flatMap(([, ...columns]) => columns as string[]),
  ]),
  context: ['billingcurrency', 'pricingcurrency', 'regionid', 'region'],
  read: measures,
  texts: withFoldedNames(copied.filter((name) => name !== 'PricingCurrency')).map(([name, key]) => [key, name]),
  resourceId,
  prices: prices.map(([name, key]) => [key, name]),
  maps: maps.map(([name, key]) => [key, name]),
  custom: [
    'xpublishername',
    'xskuterm',
    'xexporttime',
    'xpricingcurrency',
    'xbillingexchangerate',
    'xcurrencyconversionrate',
  ],
}

function exchangeRate(row: Columns): { perUsd?: string | number } {
  const isOfDollars = isDollars(textOf(row, 'pricingcurrency', 'xpricingcurrency') ?? 'USD')
  const perUsd = isOfDollars ? amountOf(row, 'xbillingexchangerate', 'xcurrencyconversionrate') : undefined
  return perUsd === undefined ? {} : { perUsd }
}

/** Azure has a separate column for the term of a commitment. */
function keepTerm(line: Record<string, unknown>, term: string | undefined): void {
  const details = objectOf(line['SkuPriceDetails'] ?? '{}')
  if (term !== undefined && details !== undefined) line['SkuPriceDetails'] = termDetails({ term }, details)
}
