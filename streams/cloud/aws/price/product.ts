/** One product of AWS's price list: its attributes, its price on demand, and what remains of it with a reservation. */
import { dayOf } from '#engine/value/day.ts'

export interface PricedProduct {
  attributes: Readonly<Record<string, string>>
  /** On demand, per unit of the list, without tax. */
  usd: number
  effectiveOn: string
  /** US dollars per hour by term and payment (`1yr_no_upfront`), payments upfront spread over the term. */
  reservedUsdHour: Readonly<Record<string, number>>
}

interface Term {
  effectiveDate?: string
  priceDimensions?: Readonly<Record<string, { unit?: string; pricePerUnit?: { USD?: string } }>>
  termAttributes?: { LeaseContractLength?: string; OfferingClass?: string; PurchaseOption?: string }
}

interface PriceListItem {
  product?: { attributes?: Readonly<Record<string, string>> }
  terms?: { OnDemand?: Readonly<Record<string, Term>>; Reserved?: Readonly<Record<string, Term>> }
}

const yearHours = 8760

export type PriceUnit = 'hour' | 'gb_month'

/** Undefined if it has no price by the unit, or one of 0: a gap in the list. */
export function readProduct(text: string, unit: PriceUnit = 'hour'): PricedProduct | undefined {
  const { product, terms } = JSON.parse(text) as PriceListItem
  const [onDemand] = Object.values(terms?.OnDemand ?? {})
  const usd = onDemand && usdOf(onDemand, isUnit[unit])
  const attributes = product?.attributes
  if (!attributes || !usd || !onDemand.effectiveDate) return undefined
  const reserved = Object.values(terms?.Reserved ?? {}).map(reservedIn)
  return {
    attributes,
    usd,
    effectiveOn: dayOf(new Date(onDemand.effectiveDate)),
    reservedUsdHour: Object.fromEntries(reserved.filter((one) => one !== undefined)),
  }
}

const isHourly = (unit: string): boolean => /^(hrs?|hours?|nodehours?)$/i.test(unit.replace('-', ''))
const isUnit: Readonly<Record<PriceUnit, (unit: string) => boolean>> = {
  hour: isHourly,
  gb_month: (unit) => /^gb-mo(nth)?$/i.test(unit),
}
const isOnce = (unit: string): boolean => /^quantity$/i.test(unit)

/** The sum of the term's prices in such units; undefined if it has none. */
function usdOf({ priceDimensions = {} }: Term, isUnit: (unit: string) => boolean): number | undefined {
  const amounts = Object.values(priceDimensions)
    .filter(({ unit = '' }) => isUnit(unit))
    .map(({ pricePerUnit }) => Number(pricePerUnit?.USD))
  return amounts.length === 0 || amounts.some(Number.isNaN) ? undefined : amounts.reduce((sum, one) => sum + one, 0)
}

function reservedIn(term: Term): [tier: string, usdHour: number] | undefined {
  const { LeaseContractLength = '', OfferingClass = 'standard', PurchaseOption = '' } = term.termAttributes ?? {}
  const years = Number(/^([13]) ?yr$/.exec(LeaseContractLength)?.[1])
  if (!years || OfferingClass !== 'standard' || !/^(No|Partial|All) Upfront$/.test(PurchaseOption)) return undefined
  const usdHour = (usdOf(term, isHourly) ?? 0) + (usdOf(term, isOnce) ?? 0) / (years * yearHours)
  return usdHour > 0 ? [`${years}yr_${PurchaseOption.toLowerCase().replace(' ', '_')}`, usdHour] : undefined
}
