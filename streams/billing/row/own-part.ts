/** What a row of a bill has of its own, when it shares the rest of its line with an earlier row. */
import { readAmount, splitUnits, type Amount } from '#engine/value/amount.ts'
import { isFiner, toUnits } from '#engine/value/decimal.ts'
import { dayMs } from '#engine/value/day.ts'
import type { LineMeasures } from '#streams/billing/format/draft.ts'
import { utc, type CostLine } from '#streams/billing/line/cost-line.ts'
import { moneyPlaces, pricePlaces } from '#streams/billing/line/precision.ts'
import type { OwnCells, SharedMap } from './own-cells.ts'
import type { AcceptedLine } from './reading.ts'

export const ownCosts = ['BilledCost', 'EffectiveCost', 'ContractedCost', 'ListCost'] as const
export const ownQuantities = [
  'ConsumedQuantity',
  'PricingQuantity',
  'CommitmentDiscountQuantity',
  'PricingCurrencyEffectiveCost',
] as const

/** The same object is used for every row of a file. */
export interface OwnPart {
  row: number
  id: string
  isNew: boolean
  day: string
  period: string
  /** UTC, `YYYY-MM-DDTHH:MM:SS`. */
  start: string
  end: string
  /** In the order of `ownCosts`. */
  costs: readonly Amount[]
  /** In the order of `ownQuantities`; undefined ones are empty. */
  quantities: (Amount | undefined)[]
  cells: Pick<OwnCells, 'texts' | 'textNames' | 'prices' | 'priceNames' | 'maps' | 'mapNames' | 'hasOthers'> & {
    readonly others: SharedMap | undefined
  }
}

/** What is noted of each line: its times, and the accounts that it names. */
export interface NotedLine {
  x_Day: string
  x_Provider: string
  BillingPeriodStart?: unknown
  BillingPeriodEnd?: unknown
  SubAccountId?: unknown
  BillingAccountId?: unknown
}

/** The line of a row, as far as it is noted. The same object is used for every line. */
export function lineOf({ cost }: { cost: CostLine }, { day, cells }: OwnPart): NotedLine {
  noted.x_Day = day
  noted.x_Provider = cost.x_Provider
  noted.BillingPeriodStart = cost['BillingPeriodStart']
  noted.BillingPeriodEnd = cost['BillingPeriodEnd']
  noted.SubAccountId = ownText(cells, 'SubAccountId') ?? cost['SubAccountId']
  noted.BillingAccountId = ownText(cells, 'BillingAccountId') ?? cost['BillingAccountId']
  return noted
}

const noted: NotedLine = { x_Day: '', x_Provider: '' }

function ownText({ textNames, texts }: OwnPart['cells'], name: string): string | undefined {
  const at = textNames.indexOf(name)
  return at < 0 ? undefined : texts[at]
}

const zero = (): Amount => ({ whole: 0, rest: 0 })

export function newOwnPart(cells: OwnCells): OwnPart {
  const texts = { id: '', day: '', period: '', start: '', end: '' }
  return { row: 0, isNew: true, ...texts, costs: ownCosts.map(zero), quantities: ownQuantities.map(zero), cells }
}

/** Space for quantities, used for every row. */
const quantitySpace = ownQuantities.map(zero)
const scratch = zero()

/** Fills in times and amounts. False if they are not plain. */
export const takeMeasures = (found: LineMeasures, own: OwnPart): boolean =>
  takeTimes(found, own) && takeCosts(found, own.costs) && takeQuantities(found, own)

const isoTime = /^\d{4}-\d{2}-\d{2}(?:[T ]|$)/

function takeTimes({ ChargePeriodStart: start, ChargePeriodEnd: end }: LineMeasures, own: OwnPart): boolean {
  if (typeof start !== 'string' || !isoTime.test(start)) return false
  if (typeof end === 'string' && !isoTime.test(end)) return false
  try {
    own.start = utc(start, 'ChargePeriodStart')
    own.end = end ? utc(end, 'ChargePeriodEnd') : dayAfter(own.start)
  } catch {
    return false
  }
  own.day = own.start.slice(0, 10)
  return true
}

const dayAfter = (start: string): string => new Date(Date.parse(`${start}Z`) + dayMs).toISOString().slice(0, 19)

/** Missing costs are taken from those that the line has, as in `costLine`. */
function takeCosts(found: LineMeasures, costs: readonly Amount[]): boolean {
  const { BilledCost: billed, EffectiveCost: effective, ContractedCost: contracted, ListCost: list, usdCosts } = found
  // A line in US dollars does not need them, but they count if their digits do not fit.
  for (const name in usdCosts) if (!read(usdCosts[name as keyof typeof usdCosts], scratch)) return false
  return (
    read(billed, costs[0]!) &&
    take(effective, costs[1]!, billed, costs[0]!) &&
    take(contracted, costs[2]!, billed, costs[0]!) &&
    take(list, costs[3]!, contracted ?? billed, costs[2]!)
  )
}

function takeQuantities(found: LineMeasures, { quantities }: OwnPart): boolean {
  for (let at = 0; at < ownQuantities.length; at++) {
    const value = found[ownQuantities[at]!]
    if (value === undefined) quantities[at] = undefined
    else if (!read(value, (quantities[at] = quantitySpace[at]!))) return false
  }
  return true
}

/** False for text that is not an amount, or that has more digits than are stored. */
function read(value: unknown, to: Amount): boolean {
  if (typeof value !== 'string') return false
  if (readAmount(value, to)) return true
  const units = toUnits(value, moneyPlaces)
  return units !== undefined && !isFiner(value, moneyPlaces) && splitUnits(units, to)
}

/** `other` is the text of `otherAmount`, which has been read. */
function take(value: unknown, to: Amount, other: unknown, otherAmount: Amount): boolean {
  if (value !== undefined && value !== other) return read(value, to)
  to.whole = otherAmount.whole
  to.rest = otherAmount.rest
  return true
}

const always = { from: '', to: '9999' }

/** Usage in the billing period and the months beside it needs no warning. */
export function windowOf({ BillingPeriodStart: start, ChargeCategory: category }: CostLine): {
  from: string
  to: string
} {
  if (typeof start !== 'string' || category !== 'Usage') return always
  const [year, month] = start.split('-').map(Number)
  const first = (months: number) => new Date(Date.UTC(year!, month! - 1 + months, 1)).toISOString().slice(0, 10)
  return { from: first(-1), to: first(2) }
}

/** Whether `own`, as it was just filled in, is what reading the row as a whole gave. */
export function isLike(own: OwnPart, { cost, period }: Pick<AcceptedLine, 'cost' | 'period'>): boolean {
  const times = [own.period, own.day, own.start, own.end].join()
  return (
    times === [period, cost.x_Day, cost['ChargePeriodStart'], cost['ChargePeriodEnd']].join() &&
    ownCosts.every((name, at) => isAmount(cost[name], own.costs[at])) &&
    ownQuantities.every((name, at) => isAmount(cost[name], own.quantities[at])) &&
    hasCells(own, cost)
  )
}

function hasCells({ cells }: OwnPart, cost: CostLine): boolean {
  return (
    cells.textNames.every((name, at) => (cost[name] ?? '') === cells.texts[at]) &&
    cells.priceNames.every((name, at) => isSamePrice(cost[name], cells.prices[at]!)) &&
    cells.mapNames.every((name, at) => JSON.stringify(cost[name]) === JSON.stringify(cells.maps[at]?.value)) &&
    JSON.stringify(cost['x_OtherColumns'] ?? {}) === JSON.stringify(cells.others?.value ?? {})
  )
}

function isAmount(value: unknown, amount: Amount | undefined): boolean {
  if (amount === undefined || value === undefined) return value === amount
  return read(value, scratch) && scratch.whole === amount.whole && scratch.rest === amount.rest
}

const isSamePrice = (value: unknown, text: string): boolean =>
  value === undefined ? text === '' : toUnits(value as string, pricePlaces) === toUnits(text, pricePlaces)
