/**
 * The terms of commitments in bills. What a format has beyond FOCUS columns is kept in the line's `SkuPriceDetails`
 * under names with the prefix `x_`, which FOCUS requires for custom names.
 */
import { parseJson } from '#engine/value/json.ts'

/** Time, ISO 8601. */
const endKey = 'x_CommitmentEnd'
/** As in the bill: `1yr`, `36` (months), `TWELVE_MONTH`. The first name is ours; exporters use the others. */
const termKeys = ['x_PurchaseTerm', 'x_SkuTerm', 'x_Plan', 'x_Term', 'LeaseContractLength'] as const

export interface Term {
  endsAt?: string | undefined
  term?: string | undefined
}

/** The term as details of a line, added to `more`; only `more` if nothing is known. */
export function termDetails({ endsAt, term }: Term, more?: Readonly<Record<string, unknown>>) {
  if (endsAt === undefined && term === undefined) return more
  return {
    ...more,
    ...(endsAt !== undefined && { [endKey]: endsAt }),
    ...(term !== undefined && { [termKeys[0]]: term }),
  }
}

/** Longer terms are not sold, so a larger number is not a term. */
const monthsMax = 120

const termMonths: Readonly<Record<string, number>> = { TWELVE_MONTH: 12, THIRTY_SIX_MONTH: 36, SIXTY_MONTH: 60 }
const termShape = /^P?(\d{1,3})[ -]?(y|yrs?|years?|m|mo|months?)?$/i

/** Whole months; a number without a unit means months. Undefined if the text is not a term. */
export function monthsOf(text: string): number | undefined {
  const trimmed = text.trim()
  const known = termMonths[trimmed.toUpperCase()]
  if (known !== undefined) return known
  const [, count, unit = 'm'] = termShape.exec(trimmed) ?? []
  if (count === undefined) return undefined
  const months = Number(count) * (/^y/i.test(unit) ? 12 : 1)
  return months > 0 && months <= monthsMax ? months : undefined
}

/** Hours of terms of one, three and five years, with and without leap days. */
const hoursOfTerm: ReadonlyMap<number, number> = new Map([
  [8760, 12],
  [8784, 12],
  [26_280, 36],
  [26_304, 36],
  [43_800, 60],
  [43_824, 60],
  [43_848, 60],
])

/** Columns of a purchase that may show its term. */
export interface PurchaseTerms {
  /** JSON. */
  details: string
  description: string
  /** Decimal text; empty if missing. */
  quantity: string
  unit: string
  pricingQuantity: string
}

/**
 * The term in months: from the price details, else from hours per unit, else from the description (`N2 Cpu in Americas
 * for 1 Year`).
 */
export function termOf({ details, description, quantity, unit, pricingQuantity }: PurchaseTerms): number | undefined {
  const said = termSaid(details)
  if (said !== undefined) return said
  const each = Number(pricingQuantity || Number.NaN)
  const ofHours = /^(hours?|hrs?)$/i.test(unit) ? hoursOfTerm.get(Number(quantity || Number.NaN) / each) : undefined
  if (ofHours !== undefined) return ofHours
  const [, years] = /\b([1-5])[ -]?(?:years?|yrs?)\b/i.exec(description) ?? []
  return years === undefined ? undefined : Number(years) * 12
}

function termSaid(details: string): number | undefined {
  const said = objectOf(details) ?? {}
  for (const key of termKeys) {
    const months = key in said ? monthsOf(String(said[key])) : undefined
    if (months !== undefined) return months
  }
  return undefined
}

/** The object in a JSON text, or the value itself if it is an object; otherwise undefined. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  try {
    const read: unknown = typeof value === 'string' ? parseJson(value) : value
    return typeof read === 'object' && read !== null && !Array.isArray(read)
      ? (read as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
