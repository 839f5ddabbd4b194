/** When a commitment ends, by all that is known of it. Days are YYYY-MM-DD, UTC. */
import type { commitmentLines, commitmentResources, commitmentTerms } from '#analytics/commitment/questions.ts'
import { addDays, addMonths, dayMs, dayOf, lastOf, monthOf } from '#engine/value/day.ts'
import type { Static } from '#engine/value/schema.ts'
import { termOf } from '#streams/billing/format/commitment-term.ts'

type Inventory = Static<(typeof commitmentResources)['row']>
export type Line = Omit<Static<(typeof commitmentLines)['row']>, 'commitment_id'>
type TermRow = Omit<Static<(typeof commitmentTerms)['row']>, 'commitment_id'>

export const expirySources = ['inventory', 'bill', 'observed'] as const

export interface Expiry {
  readonly expiresOn: string | null
  readonly expiryFrom: (typeof expirySources)[number] | null
}

export interface ExpiryFacts {
  resource: Inventory | undefined
  line: Line
  terms: readonly TermRow[]
  /** The day it begins, where fees that come again and again say so: see `begunOn`. */
  begunOn: string | undefined
  /** The newest day that bills name it; empty for none. */
  lastDay: string
  /** Settled days soon after that on which what it covered ran on demand. */
  onDemandDays: number
}

/** Days on demand after which a commitment that bills do not name any more counts as ended: one may be a bill that is not whole. */
const onDemandDaysMin = 3

/** The first that bills do not contradict: a commitment that they name later than its end has not ended then. */
export function expiryOf(known: ExpiryFacts): Expiry {
  const { resource, line, lastDay, onDemandDays } = known
  const isBelieved = (end: string | null | undefined): end is string => typeof end === 'string' && end >= lastDay
  const inventory = resource && inventoryEnd(resource)
  if (isBelieved(inventory)) return { expiresOn: inventory, expiryFrom: 'inventory' }
  const billed = [dayIn(line.ends_at), line.ends_on || null, termEnd(known)].find(isBelieved)
  if (billed !== undefined) return { expiresOn: billed, expiryFrom: 'bill' }
  if (lastDay !== '' && onDemandDays >= onDemandDaysMin) return { expiresOn: lastDay, expiryFrom: 'observed' }
  return { expiresOn: null, expiryFrom: null }
}

export const dayIn = (text: string): string | null => {
  const at = text === '' ? Number.NaN : Date.parse(text)
  return Number.isNaN(at) ? null : dayOf(at)
}

const daysShape = /^-?\d{1,6}(?:\.\d+)?$/

/** Null if the inventory does not say. */
export function inventoryEnd({
  ends_at,
  days_to_end,
  observed_on,
}: Pick<Inventory, 'ends_at' | 'days_to_end' | 'observed_on'>): string | null {
  const day = dayIn(ends_at)
  if (day !== null || !daysShape.test(days_to_end)) return day
  return dayOf(Date.parse(observed_on) + Math.floor(Number(days_to_end)) * dayMs)
}

/** Days of bills before the first fee, from which on it is the first one: fees come by the month at most. */
const feeDaysMax = 32

/** The first day it was bought on, where bills of its account reach back so far that an earlier fee would be there. */
export const begunOn = (boughtOn: string, billedSince: string): string | undefined =>
  boughtOn !== '' && addDays(billedSince, feeDaysMax) <= boughtOn ? boughtOn : undefined

/** A purchase that is paid once begins the term; of fees that come again, the first does. A term that bills outlast was renewed. */
function termEnd({ terms, begunOn: first, lastDay }: ExpiryFacts): string | undefined {
  const ends = terms.flatMap((row) => {
    const { details, description, quantity, unit, pricing_quantity: pricingQuantity } = row
    const months = termOf({ details, description, quantity, unit, pricingQuantity })
    const start = row.frequency === 'One-Time' ? row.starts_on : first
    return months === undefined || start === undefined ? [] : [renewUntil(start, months, lastDay)]
  })
  return ends.toSorted().at(-1)
}

function renewUntil(start: string, months: number, lastDay: string): string {
  for (let terms = 1; ; terms++) {
    const end = monthsLater(start, months * terms)
    if (end >= lastDay) return end
  }
}

/** The same day of a later month, or the last one of a shorter month. */
function monthsLater(day: string, months: number): string {
  const month = addMonths(monthOf(day), months)
  const last = lastOf(month)
  const same = `${month}${day.slice(7)}`
  return same < last ? same : last
}
