/**
 * The cause of an anomaly, and how much of it the cause explains (decision G-53): the first that fits, in the order of
 * the decision.
 */
import { addDays } from '#engine/value/day.ts'
import type { anomalyBreakdown, anomalyUsage } from '#analytics/anomaly/questions.ts'
import type { Static } from '#engine/value/schema.ts'
import type { AnomalyType } from '#streams/anomaly.ts'
import { cents, centsText } from '#streams/figure.ts'
import { isAtLeast, isMore, rule, tolerance } from './rule.ts'

export type Breakdown = Static<(typeof anomalyBreakdown)['row']>
export type Usage = Static<(typeof anomalyUsage)['row']>

/** `usd`: US dollars of the excess that the cause explains. */
export interface Cause {
  name: string
  usd: number
  /** The cause in words, without its name and its share. */
  told: string
}

/**
 * Credits of a dimension: US dollars a day after credits (`expected` before, `actual` on the day) and before credits
 * (`charged`, `charged_now`).
 */
export interface Credits {
  expected: number
  actual: number
  charged: number
  charged_now: number
  /** How many of the seven days before had credits. Below: the last day that had. */
  credit_days: number
  credited_until: string
}

/** What is known of one resource on the day and the days before. */
export interface Evidence {
  uid: string
  name: string
  /** US dollars on the day. `delta`: above its own baseline. */
  actual: number
  delta: number
  isNew: boolean
  usage: readonly Usage[]
  /** Id of the schedule that should have stopped it. */
  failedSchedule: string | undefined
}

const usd = centsText
const rateText = (rate: number): string => String(Number(rate.toPrecision(6)))

/** Why one resource costs more; undefined if unknown. `day` is YYYY-MM-DD. */
export function causeOfResource(evidence: Evidence, day: string): Cause | undefined {
  const { delta, isNew, usage, failedSchedule } = evidence
  const called = calledOf(evidence)
  const unit = unitOf(usage, day)
  const of = usage.filter((row) => row.unit === unit)
  const now = of.find((row) => row.day === day)
  const before = of.filter((row) => row.day !== day)
  const effects = now ? effectsOf(now, before, day) : { rate: delta, use: delta }
  if (isReservationOver(usage, day))
    return {
      name: 'Reservation expiry',
      usd: effects.rate,
      told: `${called} is charged at on-demand rates; its reservation last covered it on ${lastReserved(usage, day)}`,
    }
  const former = before.filter(({ rate }) => rate > 0 && now && isMore(now.rate - rate, rule.change, rate))
  if (unit === 'h' && now && former.length > 0)
    return {
      name: 'Instance resize',
      usd: effects.rate,
      told: `the hourly rate of ${called} changed from ${rateText(former.at(-1)!.rate)} to ${rateText(now.rate)} US dollars`,
    }
  if (failedSchedule !== undefined)
    return {
      name: 'Schedule failure',
      usd: effects.use,
      told: `schedule ${failedSchedule} did not stop ${called}, which kept running`,
    }
  const used = usedADay(before, isNew)
  if (now && used !== undefined && isMore(now.quantity - used, rule.change, used))
    return {
      name: 'Usage spike',
      usd: effects.use,
      told: `usage of ${called} was ${amount(now.quantity, unit)}, up from ${amount(used, unit)} a day`,
    }
  if (isNew) return { name: 'New resource', usd: delta, told: `${called} was first seen within the last three days` }
  return undefined
}

const calledOf = ({ uid, name }: Evidence): string => (name && name !== uid ? `${name} (${uid})` : uid)

/** Mean usage of the days before. The day on which a resource was created is incomplete and left out. */
function usedADay(before: readonly Usage[], isNew: boolean): number | undefined {
  const whole = isNew ? before.slice(1) : before
  return whole.length > 0 ? mean(whole.map(({ quantity }) => quantity)) : undefined
}

const amount = (quantity: number, unit: string): string => `${Number(quantity.toFixed(2))} ${unit}`.trim()
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / (values.length || 1)

/** Hours if the bill has them, otherwise the unit with the highest cost on the day. */
function unitOf(usage: readonly Usage[], day: string): string {
  const own = usage.filter((row) => row.day === day)
  if (own.some(({ unit }) => unit === 'h')) return 'h'
  return own.toSorted((a, b) => b.cost_usd - a.cost_usd)[0]?.unit ?? ''
}

/**
 * Splits the excess of the day over the mean of the seven days before into the effect of the rate and the effect of
 * usage; their sum is the excess.
 */
function effectsOf(now: Usage, before: readonly Usage[], day: string): { rate: number; use: number } {
  const since = addDays(day, -rule.baselineDays)
  const recent = before.filter((row) => row.day >= since)
  const cost = mean(recent.map(({ cost_usd }) => cost_usd))
  const quantity = mean(recent.map((row) => row.quantity))
  const rate = quantity > 0 ? cost / quantity : 0
  const rateNow = now.quantity > 0 ? now.cost_usd / now.quantity : 0
  return { rate: (rateNow - rate) * now.quantity, use: (now.quantity - quantity) * rate }
}

function isReservationOver(usage: readonly Usage[], day: string): boolean {
  const own = usage.filter((row) => row.day === day)
  if (!own.some((row) => row.on_demand > 0) || own.some((row) => row.reserved > 0)) return false
  return usage.some((row) => row.day !== day && row.reserved > 0)
}

const lastReserved = (usage: readonly Usage[], day: string): string =>
  usage.findLast((row) => row.day !== day && row.reserved > 0)?.day ?? ''

/** Credits that covered most days of the week before and cover less now (decision G-119). */
export function creditCause(excess: number, of: Credits): Cause | undefined {
  if (of.credit_days < rule.baselineDaysMin) return undefined
  const covered = of.charged - of.expected
  const lost = covered - (of.charged_now - of.actual)
  if (!isAtLeast(lost, rule.explains, excess)) return undefined
  return {
    name: 'Credits ended',
    usd: lost,
    told: `${usd(covered)} USD of ${usd(of.charged)} USD a day were covered by credits until ${of.credited_until}`,
  }
}

/** A cause of the dimension as a whole comes first, then that of the resource with the largest excess. */
export function causeOf(
  type: AnomalyType,
  excess: number,
  breakdown: Breakdown,
  top: Cause | undefined,
): Cause | undefined {
  const whole = {
    org: broadCause,
    cloud_account: broadCause,
    resource_group: memberCause,
    team: memberCause,
    resource: () => undefined,
  }
  return whole[type](excess, breakdown) ?? top
}

/**
 * Whether new resources are the cause depends on their whole cost; they explain only its rise, since part of it may
 * already be in the baseline.
 */
function broadCause(excess: number, of: Breakdown): Cause | undefined {
  if (isAtLeast(of.onboarded_usd, rule.explains, excess))
    return {
      name: 'New-account onboarding',
      usd: of.onboarded_delta_usd,
      told: `${formatNewResources(of.onboarded_resources)} in accounts first billed in the last ${rule.causeDays} days`,
    }
  if (isMore(of.new_usd, rule.newShare, excess))
    return { name: 'New resources', usd: of.new_delta_usd, told: formatNewResources(of.new_resources) }
  return typeCause(excess, of)
}

/** An excess caused by new resources is suppressed, unless a whole account is new, which people want to know. */
export const isSuppressed = (excess: number, of: Pick<Breakdown, 'new_usd' | 'opened_usd'>): boolean =>
  isMore(of.new_usd, rule.newShare, excess) && !isAtLeast(of.opened_usd, rule.explains, excess)

const formatNewResources = (resources: number): string => `${resources} new resource${resources === 1 ? '' : 's'}`

function typeCause(excess: number, { spike_type: type, spike_type_usd: amountUsd }: Breakdown): Cause | undefined {
  if (type === '' || !isAtLeast(amountUsd, rule.explains, excess)) return undefined
  return { name: 'Resource-type spike', usd: amountUsd, told: `resources of type ${type}` }
}

function memberCause(excess: number, of: Breakdown): Cause | undefined {
  if (of.added_resources > 0 && isAtLeast(of.added_usd, rule.explains, excess)) {
    const count = `${of.added_resources} member${of.added_resources === 1 ? '' : 's'}`
    return { name: 'Membership diff', usd: of.added_usd, told: `${count} added in the last seven days` }
  }
  const byType = typeCause(excess, of)
  if (byType) return byType
  if (!isAtLeast(of.spike_account_usd, rule.explains, excess)) return undefined
  return { name: 'Cloud-account spike', usd: of.spike_account_usd, told: `resources in account ${of.spike_account}` }
}

/** A note on an increase without a cause: the service whose charges without a resource are most of it. */
export function leftOver(excess: number, { spike_service: service, spike_service_usd: amountUsd }: Breakdown): string {
  if (service === '' || !isAtLeast(amountUsd, rule.explains, excess)) return ''
  const fell = computeFall(amountUsd, excess)
  if (fell === 0) return `, ${usd(amountUsd)} of it for ${service} charges without a resource`
  return `: ${service} charges without a resource rose by ${usd(amountUsd)}, while all other costs fell by ${usd(fell)}`
}

/** US dollars by which the rest must have fallen if one part rose by more than the whole; otherwise 0. */
const computeFall = (part: number, excess: number): number => Math.max(0, cents(cents(part) - cents(excess)))

/**
 * The sentence that people see. `detail` is the cause of the most expensive resource; it is added if it is another one.
 */
export function sentence(
  cause: Cause | undefined,
  excess: number,
  detail: Cause | undefined,
  unexplained = '',
): string {
  if (!cause) return `Unexplained increase: ${usd(excess)} US dollars above the baseline${unexplained}.`
  const most =
    detail && detail !== cause && cause.name !== 'Membership diff'
      ? ` Largest increase of a single resource: ${detail.told} (${detail.name.toLowerCase()}, ${usd(detail.usd)}).`
      : ''
  return `${cause.name}: ${cause.told}, ${shareOf(cause, excess)}.${most}`
}

function shareOf({ usd: part }: Cause, excess: number): string {
  const whole = `${usd(excess)} US dollars above the baseline`
  if (cents(part) <= 0) return `on a day that was ${whole}`
  const fell = computeFall(part, excess)
  if (fell > 0)
    return `which added ${usd(part)} US dollars, while all other costs fell by ${usd(fell)}: ${whole} remain`
  return `which explains ${usd(part)} of the ${whole} (${Math.round((100 * part) / Math.max(excess, tolerance))}%)`
}
