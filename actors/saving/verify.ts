/**
 * Verifies claims against bills, exactly. The claims of a day are ordered by start; L(i) is what the resource would
 * have cost with only the first i of them, L(n) what it did cost. Claim i saved L(i-1) - L(i), so all of them sum to
 * the difference to the bill. Pure. Days are `YYYY-MM-DD`, UTC; amounts and hours are in units of 10^-14.
 */
import { addDays, dayOf } from '#engine/value/day.ts'
import { isProvable, type Claim } from './claim.ts'
import { byFrom } from './cause.ts'

/** What a bill says about a resource on a day. */
export interface UsageDay {
  hours: bigint
  /** Cost of its hours; `rest`: all other costs. */
  hourly: bigint
  other: bigint
}

/** The bills of a resource. */
export interface Bills {
  /** Undefined if the day has no line of it. */
  day: (day: string) => UsageDay | undefined
  /** Whether the account's bill of the day is complete. */
  isClosed: (day: string) => boolean
  /** The first day with a line of it; undefined if there is none. */
  first: string | undefined
  /** Whether the resource was billed to another account on the day. */
  isElsewhere: (day: string) => boolean
  /** The list price on `day` of an hour of the size that ran just before `from`; undefined if unknown. */
  listPrice: (from: string, day: string) => bigint | undefined
}

/** Why nothing is verified for a claim on a day. */
export const reasons = [
  'first_day',
  'not_closed',
  'no_bill',
  'baseline_short',
  'no_price',
  'moved',
  'commitment',
  'units',
] as const
export type Reason = (typeof reasons)[number]

/** What a claim is compared with: means of whole days before it. */
export interface Baseline {
  from: string
  to: string
  days: number
  /** Sums of hours by weekday, from Sunday on, and the number of days. */
  weekdays: readonly { hours: bigint; days: bigint }[]
  /** Sums over all days. */
  hours: bigint
  hourly: bigint
  other: bigint
}

const windowDays = 28
const daysMin = 7
const nothing: UsageDay = { hours: 0n, hourly: 0n, other: 0n }

const weekday = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay()

/** A day without lines cost nothing, from the first day with lines on. */
export function baselineOf(claim: Pick<Claim, 'from' | 'notBefore'>, bills: Bills): Baseline | Reason {
  if (bills.first === undefined) return 'no_bill'
  const day0 = dayOf(Date.parse(claim.from))
  const begin = [addDays(day0, -windowDays), claim.notBefore, bills.first].toSorted().at(-1)!
  const weekdays = Array.from({ length: 7 }, () => ({ hours: 0n, days: 0n }))
  const sum = { hours: 0n, hourly: 0n, other: 0n }
  let days = 0
  for (let day = begin; day < day0; day = addDays(day, 1)) {
    if (!bills.isClosed(day)) continue
    const { hours, hourly, other } = bills.day(day) ?? nothing
    const own = weekdays[weekday(day)]!
    own.hours += hours
    own.days++
    days++
    sum.hours += hours
    sum.hourly += hourly
    sum.other += other
  }
  const isWhole = days >= daysMin && weekdays.every((one) => one.days > 0n)
  return isWhole ? { from: begin, to: addDays(day0, -1), days, weekdays, ...sum } : 'baseline_short'
}

/** Cache: with the same bills a claim has one baseline, whatever the day. */
const baselines = new WeakMap<Bills, Map<string, Baseline | Reason>>()

function knownBaseline(claim: Claim, bills: Bills): Baseline | Reason {
  const known = baselines.get(bills) ?? new Map<string, Baseline | Reason>()
  baselines.set(bills, known)
  const base = known.get(claim.id) ?? baselineOf(claim, bills)
  known.set(claim.id, base)
  return base
}

/** A fraction; `over` is positive. */
interface Fraction {
  of: bigint
  over: bigint
}

const toFraction = (of: bigint): Fraction => ({ of, over: 1n })

/** Rounds half away from zero. */
function roundFraction({ of, over }: Fraction): bigint {
  const size = ((of < 0n ? -of : of) * 2n + over) / (2n * over)
  return of < 0n ? -size : size
}

/** One level of a day: hours x price x factor + rest, with its parts as text. */
export interface Level {
  /** In units of 10^-14: hours, US dollars per hour, rest; `factor`: the change of the list price, 1 if unknown. */
  hours: bigint
  price: bigint
  factor: number
  other: bigint
  total: bigint
}

interface ProvedClaim {
  claim: Claim
  verified: bigint | null
  reason: Reason | ''
}

export interface DayProof {
  day: string
  /** L(0) to L(n); null if unknown. */
  levels: (Level | null)[]
  proved: ProvedClaim[]
}

const unit = 10n ** 14n

/** For a day on which at least one claim can be verified; `claims`: all of the resource. */
export function prove(claims: readonly Claim[], bills: Bills, day: string): DayProof {
  const active = claims.filter((claim) => claim.kind !== 'commitment' && isProvable(claim, day)).toSorted(byFrom)
  const isMoved = bills.isElsewhere(day)
  const why: Reason | '' = isMoved ? 'moved' : !bills.isClosed(day) ? 'not_closed' : ''
  if (why !== '') return { day, levels: [], proved: active.map((claim) => ({ claim, verified: null, reason: why })) }
  const bases = new Map(active.map((claim) => [claim, knownBaseline(claim, bills)]))
  const levels = active.map((_, i) => levelOf(active.slice(i), bases, bills, day))
  const actual = billOf(bills.day(day) ?? nothing)
  const all = [...levels.map((one) => (typeof one === 'string' ? null : one)), actual]
  const proved = active.map((claim, i): ProvedClaim => {
    const [above, below] = [levels[i]!, levels[i + 1] ?? actual]
    if (typeof above === 'string') return { claim, verified: null, reason: above }
    if (typeof below === 'string') return { claim, verified: null, reason: below }
    return { claim, verified: above.total - below.total, reason: '' }
  })
  return { day, levels: all, proved }
}

const billOf = ({ hours, hourly, other }: UsageDay): Level => ({
  hours,
  price: hours === 0n ? 0n : roundFraction({ of: hourly * unit, over: hours }),
  factor: 1,
  other,
  total: hourly + other,
})

/** What the day would have cost without the claims `later`. */
function levelOf(
  later: readonly Claim[],
  bases: ReadonlyMap<Claim, Baseline | Reason>,
  bills: Bills,
  day: string,
): Level | Reason {
  const before = (...kinds: Claim['kind'][]): Before | Reason | undefined => {
    const claim = later.find(({ kind }) => kinds.includes(kind))
    const base = claim && bases.get(claim)
    return typeof base === 'object' ? { claim: claim!, base } : base
  }
  const [forHours, forPrice, forRest] = [before('usage', 'gone'), before('rate', 'gone'), before('gone', 'storage')]
  if (typeof forHours === 'string') return forHours
  if (typeof forPrice === 'string') return forPrice
  if (typeof forRest === 'string') return forRest
  const today = bills.day(day) ?? nothing
  const hours = forHours ? hoursOf(forHours, day) : toFraction(today.hours)
  const rest = forRest ? { of: forRest.base.other, over: BigInt(forRest.base.days) } : toFraction(today.other)
  return levelFrom(hours, rest, hours.of === 0n ? undefined : { forPrice }, bills, day)
}

interface Before {
  claim: Claim
  base: Baseline
}

function hoursOf({ base }: Before, day: string): Fraction {
  const { hours, days } = base.weekdays[weekday(day)]!
  return { of: hours, over: days }
}

/** Without running hours no price is needed. */
function levelFrom(
  hours: Fraction,
  rest: Fraction,
  running: { forPrice: Before | undefined } | undefined,
  bills: Bills,
  day: string,
): Level | Reason {
  const price = running ? priceOf(running.forPrice, bills, day) : toFraction(0n)
  if (price === undefined) return 'no_price'
  const list = running?.forPrice ? factorOf(running.forPrice.claim, bills, day) : toFraction(1n)
  const hourly = { of: hours.of * price.of * list.of, over: hours.over * price.over * list.over }
  return {
    hours: roundFraction(hours),
    price: roundFraction({ of: price.of * unit, over: price.over }),
    factor: Number(list.of) / Number(list.over),
    other: roundFraction(rest),
    total: roundFraction(hourly) + roundFraction(rest),
  }
}

/** US dollars per hour: from before a claim, otherwise of the day, otherwise of the last day before it with hours. */
function priceOf(
  before: { claim: Claim; base: Baseline } | undefined,
  bills: Bills,
  day: string,
): Fraction | undefined {
  if (before) return before.base.hours > 0n ? { of: before.base.hourly, over: before.base.hours } : undefined
  for (let at = day; bills.first !== undefined && at >= bills.first && at > addDays(day, -400); at = addDays(at, -1)) {
    const { hours, hourly } = bills.day(at) ?? nothing
    if (hours > 0n) return { of: hourly, over: hours }
  }
  return undefined
}

/** The change of the old size's list price since the claim began, which is not a saving. */
function factorOf(claim: Claim, bills: Bills, day: string): Fraction {
  const from = dayOf(Date.parse(claim.from))
  const [then, now] = [bills.listPrice(from, from), bills.listPrice(from, day)]
  return then === undefined || now === undefined || then <= 0n ? { of: 1n, over: 1n } : { of: now, over: then }
}
