/** Computes the savings of a finding, in US dollars for 30 days. */
import { formatDecimal } from '#engine/value/decimal.ts'
import type { Expr, Operand, PricedResource, PriceQuote, References, Saving, TargetSpec } from './contract.ts'
import { expression, numberOf, operand, type Layout, type RuleScope } from './expression.ts'

/** Inputs of price look-ups. */
interface Pricing {
  references: References
  of: PricedResource
  target: TargetSpec | undefined
}

export interface ComputedSaving {
  /** Negative if the target costs more. */
  usd: number
  /** A fraction or a price was used in place of a missing measurement. */
  isAssumed: boolean
  /** The cost it is part of: that of dependent resources, or of other usage it covers. */
  basis?: number
  /** The basis replaces the resource's own cost, even if it is higher. */
  isOfBasis?: boolean
  tierRates?: Readonly<Record<string, number>>
}

export type Save = (scope: RuleScope, pricing: Pricing) => ComputedSaving

const nothing: ComputedSaving = { usd: 0, isAssumed: false }
/** An amount is missing: no savings are known. */
const untold: ComputedSaving = { usd: 0, isAssumed: true }

/** Rounds to cents, half away from zero on the decimal text. @throws RangeError from 1e18 on */
export const cents = (usd: number): number => Number(formatDecimal(String(usd), 2)) + 0

/** The saving of a rule, by its kind. */
export function saving(of: Saving, at: Layout): Save {
  return of.kind === 'none' ? () => nothing : (kinds[of.kind] as (of: Saving, at: Layout) => Save)(of, at)
}

const kinds = {
  full,
  fraction,
  quantity,
  excess,
  price_delta: priceDelta,
  off_hours: offHours,
  commitment,
}

type Amount = (scope: RuleScope) => number | undefined

const amount = (expr: Expr, at: Layout): Amount => {
  const read = expression(expr, at)
  return (scope) => numberOf(read(scope))
}

const costOf = (at: Layout): Amount => amount('@bill.cost_30d', at)

/** The sum of some components of the bill, and whether all of them are known. */
function componentsOf(names: readonly string[], at: Layout) {
  const reads = names.map((name) => amount(`@bill.component.${name}_30d`, at))
  return (scope: RuleScope): { usd: number; isKnown: boolean } => {
    const amounts = reads.map((read) => read(scope))
    return { usd: amounts.reduce((sum: number, one) => sum + (one ?? 0), 0), isKnown: !amounts.includes(undefined) }
  }
}

/** The whole cost, minus components that are still charged. */
function full({ keep = [] }: { keep?: readonly string[] }, at: Layout): Save {
  const cost = costOf(at)
  const kept = componentsOf(keep, at)
  return (scope) => {
    const usd = cost(scope)
    if (usd === undefined) return untold
    const { usd: stays, isKnown } = kept(scope)
    return { usd: Math.max(0, usd - stays), isAssumed: !isKnown }
  }
}

function fraction({ of, value, assumed = false }: { of: Expr; value: Expr; assumed?: boolean }, at: Layout): Save {
  const whole = amount(of, at)
  const share = amount(value, at)
  return (scope) => {
    const usd = whole(scope)
    const part = share(scope)
    return usd === undefined || part === undefined ? untold : { usd: usd * part, basis: usd, isAssumed: assumed }
  }
}

function quantity({ quantity: of, price }: { quantity: Expr; price: string }, at: Layout): Save {
  const units = amount(of, at)
  const each = amount(`@ref.price.${price}`, at)
  return (scope) => {
    const n = units(scope)
    const usd = each(scope)
    return n === undefined || usd === undefined ? untold : { usd: n * usd, basis: n * usd, isAssumed: false }
  }
}

/** The price of what exceeds the need. */
function excess({ have, need, of }: { have: Expr; need: Expr; of: Expr }, at: Layout): Save {
  const has = amount(have, at)
  const needs = amount(need, at)
  const cost = amount(of, at)
  return (scope) => {
    const [there, used, usd] = [has(scope), needs(scope), cost(scope)]
    if (there === undefined || used === undefined || usd === undefined || there <= 0) return untold
    return { usd: usd * Math.max(0, 1 - used / there), isAssumed: false }
  }
}

interface PriceDelta {
  per: 'hour' | 'gb_month'
  quantity: Expr
  /** Fraction of the cost to use if a price is unknown. */
  fallback?: number
  /** Further savings to add. */
  plus?: Expr
}

/**
 * The difference of two list prices, scaled to the amount paid, so discounts apply. Another size only changes what is
 * billed as compute; if that is unknown, the cost up to the list price of the hours is used.
 */
function priceDelta({ per, quantity: of, fallback = 0, plus = 0 }: PriceDelta, at: Layout): Save {
  const units = amount(of, at)
  const cost = costOf(at)
  const compute = per === 'hour' ? amount('@bill.component.compute_30d', at) : () => undefined
  const besides = amount(plus, at)
  const assumed = (usd: number | undefined): ComputedSaving =>
    usd === undefined || plus !== 0 ? untold : { usd: usd * fallback, isAssumed: true }
  return (scope, { references, of: resource, target }) => {
    const extra = besides(scope)
    if (extra === undefined) return untold
    const now = references.price(resource, undefined, per)
    const wanted = references.price(resource, target, per)
    const whole = cost(scope)
    const isRelative = references.isRelative?.(resource) === true
    const paid = compute(scope) || (isRelative ? whole : undefined)
    if (!now || now < 0 || wanted === undefined) return assumed(paid ?? whole)
    if (paid) return { usd: paid * (1 - wanted / now) + extra, isAssumed: false }
    const n = isRelative ? undefined : units(scope)
    return n === undefined ? assumed(whole) : { usd: diffListPrices(now, wanted, n, whole) + extra, isAssumed: false }
  }
}

/** The difference of list prices for `n` units, limited to what is paid. */
function diffListPrices(now: number, wanted: number, n: number, whole: number | undefined): number {
  const rate = whole ? Math.min(1, whole / (now * n)) : 1
  return n === 0 ? 0 : (now - wanted) * n * rate
}

/** Hours per week. */
const weekHours = 168

/** The part of its running time that is outside of `hoursOn`. */
function offHours({ stoppable, hoursOn }: { stoppable: readonly string[]; hoursOn: Operand }, at: Layout): Save {
  const parts = componentsOf(stoppable, at)
  const cost = costOf(at)
  const on = operand(hoursOn, at)
  const share = amount('@hist.running_share_30d', at)
  return (scope) => {
    const hours = numberOf(on(scope))
    const usd = parts(scope).usd || cost(scope)
    if (hours === undefined || usd === undefined) return untold
    const running = share(scope)
    const ran = running ?? 1
    const part = (ran - hours / weekHours) / Math.max(ran, 0.01)
    return { usd: Math.max(0, usd * part), isAssumed: running === undefined }
  }
}

/** With the rate for one year without upfront payment; otherwise the best rate. */
function commitment({ base, product }: { base: Operand; product: string }, at: Layout): Save {
  const read = operand(base, at)
  return (scope, { references, of }) => {
    const usd = numberOf(read(scope))
    const rates = references.tierRates(product, of)
    if (usd === undefined || !rates) return { ...untold, ...(rates && { tierRates: rates }) }
    const rate = rates['1yr_no_upfront'] ?? Math.min(...Object.values(rates))
    if (!Number.isFinite(rate)) return { ...untold, basis: usd }
    return { usd: usd * (1 - rate), basis: usd, isOfBasis: true, isAssumed: false, tierRates: rates }
  }
}

/** The list prices of a saving. Empty if the saving is only a part of what is billed, or no price is known. */
export function quotesOf(
  { kind, per, price, product }: Saving,
  { isAssumed, usd }: ComputedSaving,
  { references: { quotes }, of, target }: Pricing,
): readonly PriceQuote[] {
  if (!quotes || isAssumed || usd === 0) return []
  if (kind === 'commitment') return quotes.rates(product as string, of)
  const found =
    kind === 'price_delta'
      ? [undefined, target].map((one) => quotes.price(of, one, per as 'hour' | 'gb_month'))
      : kind === 'quantity'
        ? [quotes.unit(price as string, of)]
        : []
  return found.filter((one) => one !== undefined)
}
