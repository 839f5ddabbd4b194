/** One product of AWS's price list: its attributes, its price on demand, and what remains of it with a reservation. */
import { dayOf } from '#engine/value/day.ts'

export interface PricedProduct {
  attributes: Readonly<Record<string, string>>
  /** On demand, without tax. */
  usdHour: number
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

/** Undefined if it has no price by the hour, or one of 0: a gap in the list. */
export function readProduct(text: string): PricedProduct | undefined {
  const { product, terms } = JSON.parse(text) as PriceListItem
  const [onDemand] = Object.values(terms?.OnDemand ?? {})
  const usdHour = onDemand && usdOf(onDemand, isHourly)
  const attributes = product?.attributes
  if (!attributes || !usdHour || !onDemand.effectiveDate) return undefined
  const reserved = Object.values(terms?.Reserved ?? {}).map(reservedIn)
  return {
    attributes,
    usdHour,
    effectiveOn: dayOf(new Date(onDemand.effectiveDate)),
    reservedUsdHour: Object.fromEntries(reserved.filter((one) => one !== undefined)),
  }
}

const isHourly = (unit: string): boolean => /^(hrs?|hours?|nodehours?)$/i.test(unit.replace('-', ''))
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
