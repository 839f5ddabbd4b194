/**
 * Accepts lines with unreadable cells without those cells, unless they contain the time, the amount or the currency.
 */
import { toUnits } from '#engine/value/decimal.ts'
import { Fault } from '#engine/value/fault.ts'
import { decoder } from '#engine/value/schema.ts'
import { billingLine, ownCosts, type BillingLine } from '#streams/billing/messages.ts'
import { costLine, type CostLine } from './cost-line.ts'
import type { Warn } from '#streams/billing/format/literal.ts'
import { moneyPlaces, ratePlaces } from './precision.ts'

const decode = decoder(billingLine.schema)

/** Without one of these the line's amount or time would be unknown. */
const requiredColumns: readonly string[] = [
  'BilledCost',
  'costUSD',
  'ChargePeriodStart',
  'usageDate',
  'BillingCurrency',
]

/** @throws Fault `invalid` if a required cell is wrong or missing */
export function sound(given: BillingLine, sentAt: Date, warn: Warn): { line: BillingLine; cost: CostLine } {
  leaveUnreadRates(given, warn)
  for (;;) {
    try {
      const line = decode(given)
      return { line, cost: costLine(line, sentAt) }
    } catch (error) {
      mend(given as Record<string, unknown>, error, warn)
    }
  }
}

/** Removes US dollar values that are not numbers; costs are then converted in another way. */
function leaveUnreadRates(given: BillingLine, warn: Warn): void {
  const { usdCosts = {} } = given
  for (const name of ownCosts) {
    const value = usdCosts[name]
    if (value === undefined || toUnits(value, moneyPlaces) !== undefined) continue
    delete usdCosts[name]
    warn(leftOut, `${name} in US dollars must be a decimal number below 1e18. ${without}`)
  }
  if (given.perUsd === undefined || (toUnits(given.perUsd, ratePlaces) ?? 0n) > 0n) return
  delete given.perUsd
  warn(leftOut, `The exchange rate must be a number above 0. ${without}`)
}

const leftOut = 'cell_left_out'
const without = 'The line was imported without it.'

/** Maximum characters of a text in a line. */
const charactersMax = 8192

/** The part of a text that can be stored. */
const toStorableText = (value: string): string => value.slice(0, charactersMax).toWellFormed().replaceAll('\u0000', '')

/** The column that caused the fault. */
function columnOf({ detail }: Fault): string | undefined {
  const column = detail.problems?.[0]?.path.split('/')[1] ?? detail['column']
  return typeof column === 'string' ? column : undefined
}

/** @throws `error` if the line cannot be repaired */
function mend(given: Record<string, unknown>, error: unknown, warn: Warn): void {
  if (!(error instanceof Fault) || error.kind !== 'invalid') throw error
  const column = columnOf(error)
  if (column === undefined || !(column in given) || requiredColumns.includes(column)) throw error
  const problem = error.detail.problems?.[0]
  const value = given[column]
  const mended = typeof value === 'string' ? toStorableText(value) : value
  if (problem && mended !== value && mended !== '') {
    given[column] = mended
    return warn('cell_cut', `${column} was shortened: it is too long or has characters that cannot be stored.`)
  }
  delete given[column]
  warn(leftOut, `${problem ? `${column} ${problem.message}.` : error.message} ${without}`)
}
