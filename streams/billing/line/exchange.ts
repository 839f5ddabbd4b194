/**
 * Converts a line in a foreign currency to US dollars: with values in the bill if there are any, otherwise with the
 * rate given by the sender.
 */
import { divideRounded, isFiner, toUnits, times } from '#engine/value/decimal.ts'
import { Fault } from '#engine/value/fault.ts'
import { moneyPlaces, ratePlaces } from './precision.ts'
import { ownCosts, type BillingLine } from '#streams/billing/messages.ts'

export interface Exchange {
  /** US dollars per unit, times 10^12, rounded. */
  rate: bigint
  source: 'bill' | 'given'
  /** Converts an amount of the named cost, times 10^14, to US dollars times 10^14. */
  toDollars: (cost: string, amount: bigint) => bigint
}

const currencyOf = (line: BillingLine): string => (line.BillingCurrency ?? '').trim().toUpperCase()

export const isInDollars = (line: BillingLine): boolean => ['', 'USD'].includes(currencyOf(line))

/** Undefined for US dollars. @throws Fault `invalid` `currency_without_rate` if there is no rate */
export function exchangeOf(line: BillingLine): Exchange | undefined {
  if (isInDollars(line)) return undefined
  const found = byBill(line) ?? byRate(line.usdRate)
  if (found) return found
  throw Fault.invalid(
    'currency_without_rate',
    `The line is in ${currencyOf(line)}, and there is no exchange rate to USD.`,
  )
}

/**
 * Uses the line's own costs in US dollars. Other costs are converted with the line's rate, or with the ratio of one of
 * these costs.
 */
function byBill(line: BillingLine): Exchange | undefined {
  const own = new Map(ownCosts.flatMap((name) => pair(name, amountOf(line.usdCosts?.[name]))))
  const units = byUnits(line.perUsd)
  if (own.size === 0) return units
  const rate = units ?? byCosts(line, own) ?? byRate(line.usdRate)
  // If all costs are 0, the rate does not matter.
  if (!rate) return ownCosts.every((name) => !(own.get(name) ?? amountOf(line[name]))) ? worthless : undefined
  return { ...rate, source: 'bill', toDollars: (cost, amount) => own.get(cost) ?? rate.toDollars(cost, amount) }
}

const worthless: Exchange = { rate: 10n ** BigInt(ratePlaces), source: 'bill', toDollars: (_cost, amount) => amount }

const pair = (name: string, amount: bigint | undefined): [string, bigint][] =>
  amount === undefined ? [] : [[name, amount]]

const amountOf = (value: string | number | null | undefined): bigint | undefined =>
  value === undefined || value === null ? undefined : toUnits(value, moneyPlaces)

/** `units` is the number of units per US dollar. */
function byUnits(units: string | number | undefined): Exchange | undefined {
  const each = units === undefined ? undefined : toUnits(units, ratePlaces)
  if (each === undefined || each <= 0n) return undefined
  const one = 10n ** BigInt(ratePlaces)
  return {
    rate: divideRounded(one * one, each),
    source: 'bill',
    toDollars: (_cost, amount) => divideRounded(amount * one, each),
  }
}

/** Rates are stored below this, times 10^12. */
const rateMax = 10n ** BigInt(18 + ratePlaces)

function byCosts(line: BillingLine, own: ReadonlyMap<string, bigint>): Exchange | undefined {
  for (const name of ownCosts) {
    const [dollars, units] = [own.get(name), amountOf(line[name])]
    if (!dollars || !units) continue
    const rate = divideRounded(dollars * 10n ** BigInt(ratePlaces), units)
    // The rate of a cell that is wrong by many digits is none.
    if (rate < rateMax && rate > -rateMax)
      return {
        rate,
        source: 'bill',
        toDollars: (_cost, amount) => divideRounded(amount * dollars, units),
      }
  }
  return undefined
}

function byRate(usdRate: string | number | undefined): Exchange | undefined {
  const rate = usdRate === undefined ? undefined : toUnits(usdRate, ratePlaces)
  if (rate === undefined || rate <= 0n) return undefined
  return { rate, source: 'given', toDollars: (_cost, amount) => times(amount, rate, ratePlaces) }
}

/** Whether a cost has more decimal places in US dollars than are stored. */
export function isFinerInDollars(line: BillingLine, cost: (typeof ownCosts)[number]): boolean {
  const [own, value] = [line.usdCosts?.[cost], line[cost]]
  if (own !== undefined) return isFiner(own, moneyPlaces)
  if (value === undefined || value === null) return false
  const each = line.perUsd === undefined ? undefined : toUnits(line.perUsd, ratePlaces)
  if (!each) return isFiner(value, moneyPlaces, line.usdRate === undefined ? undefined : String(line.usdRate))
  return isFiner(value, moneyPlaces) || ((amountOf(value) ?? 0n) * 10n ** BigInt(ratePlaces)) % each !== 0n
}
