/** A line of which a cell cannot be read stands without that cell, unless it says of when, how much or in what currency it is. */
import { toUnits } from '#engine/value/decimal.ts'
import { Fault } from '#engine/value/fault.ts'
import { decoder } from '#engine/value/schema.ts'
import { billingLine, ownCosts, type BillingLine } from '#streams/billing/messages.ts'
import { costLine, type CostLine } from './cost-line.ts'
import type { Warn } from '#streams/billing/format/literal.ts'
import { moneyPlaces, ratePlaces } from './precision.ts'

const decode = decoder(billingLine.schema)

/** Without one of these nobody knows what the line comes to, or when. */
const requiredColumns: readonly string[] = [
  'BilledCost',
  'costUSD',
  'ChargePeriodStart',
  'usageDate',
  'BillingCurrency',
]

/** @throws Fault `invalid` where a cell that is needed is wrong or missing */
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

/** What a line says of US dollars counts only where it is a number: its costs are then converted otherwise. */
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

/** Of a text of a line. */
const charactersMax = 8192

/** What can be kept of a text. */
const toStorableText = (value: string): string => value.slice(0, charactersMax).toWellFormed().replaceAll('\u0000', '')

/** The column that a line is refused for. */
function columnOf({ detail }: Fault): string | undefined {
  const column = detail.problems?.[0]?.path.split('/')[1] ?? detail['column']
  return typeof column === 'string' ? column : undefined
}

/** @throws `error` where the line cannot be without what it is about */
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
