import { daysBetween } from '#engine/day.ts'
import { anomalyState } from '#analytics/anomaly/tables.ts'
import { defineActor } from '#engine/actor.ts'
import { uuidOf } from '#engine/id.ts'
import type { Static } from '#engine/schema.ts'
import type { Turn } from '#engine/turn.ts'
import { anomalyCleared, anomalyFound, shownResource } from '#streams/anomaly.ts'
import { notification, raise } from '#streams/notification.ts'
import { anomalyEvent } from '#streams/notification/event-type.ts'
import { cents, centsText, percent } from '#streams/figure.ts'
import { AnomalySeries, type Stored } from './entity.ts'
import { rule, tolerance } from './rule.ts'

type Found = Static<typeof anomalyFound.schema>

/** Days that are remembered: a day older than this can be detected anew, but is then compared with nothing. */
const rememberedMax = 400

/**
 * One dimension of cost: stores what was found unless it says nothing new, and tells of it unless that was done lately
 * (decision G-54). What is found again for a day takes its place, so that runs can be repeated.
 */
export const anomalyActor = defineActor({
  kind: 'anomaly',
  entity: AnomalySeries,
  address: { orgId: 'orgId', key: 'key' },
  initial: () => ({ stored: [] }),
  reactions: (on) => [
    on(anomalyFound, seriesOf, (series, found, turn) => {
      const known = series.stored.find(({ date }) => date === found.date)
      if (isRepeat(series.stored, found)) {
        if (known?.origin === 'running' && found.origin === 'daily') withdraw(series, found, turn)
        return
      }
      if (known?.origin === 'daily' && found.origin === 'running') return
      store(series, found, known, turn)
    }),
    on(anomalyCleared, seriesOf, (series, found, turn) => {
      if (series.stored.some(({ date, origin }) => date === found.date && origin === 'running'))
        withdraw(series, found, turn)
    }),
  ],
})

function seriesOf({ type, key }: Pick<Found, 'type' | 'key'>): string {
  return `${type}|${key}`
}

/** Whether one day lies before the other, and the other in its window. */
const isBefore = (earlier: string, date: string): boolean => {
  const days = daysBetween(earlier, date)
  return days > 0 && days < rule.windowDays
}

/** The newest anomaly of the window cost about as much: less than a fifth more or less. */
function isRepeat(stored: readonly Stored[], { date, actualUsd }: Found): boolean {
  const last = stored.findLast((one) => isBefore(one.date, date))
  return last !== undefined && Math.abs(actualUsd - last.actual) / last.actual < rule.difference - tolerance
}

function store(series: AnomalySeries, found: Found, known: Stored | undefined, turn: Turn): void {
  const now = turn.now.toISOString()
  const toldAt = known?.notifiedAt ?? null
  const wasToldLately = series.stored.some((one) => one.notifiedAt !== null && isBefore(one.date, found.date))
  const tells = toldAt === null && !found.suppressed && !wasToldLately
  const one: Stored = {
    date: found.date,
    actual: found.actualUsd,
    suppressed: found.suppressed,
    notifiedAt: tells ? now : toldAt,
    createdAt: known?.createdAt ?? now,
    origin: found.origin,
  }
  series.stored = [...series.stored.filter(({ date }) => date !== found.date), one]
    .toSorted((a, b) => (a.date < b.date ? -1 : 1))
    .slice(-rememberedMax)
  append(found, one, turn)
  if (tells) tell(found, turn)
}

function withdraw(series: AnomalySeries, { date, type, key }: Pick<Found, 'date' | 'type' | 'key'>, turn: Turn): void {
  const one = series.stored.find((stored) => stored.date === date)!
  series.stored = series.stored.filter((stored) => stored.date !== date)
  append({ ...nothing, date, type, key }, one, turn, 1)
}

const nothing = {
  label: '',
  severity: 'warning',
  method: 'percent',
  actualUsd: 0,
  expectedUsd: 0,
  deviationPercent: 0,
  suppressed: false,
  rootCause: '',
  explained: [],
  topResources: [],
  cloudAccountId: '',
  teamId: '',
  origin: 'running',
} as const

const idOf = (orgId: string, { type, key, date }: Pick<Found, 'date' | 'type' | 'key'>): string =>
  uuidOf('anomaly', orgId, type, key, date)

function append(
  found: Found | (typeof nothing & Pick<Found, 'date' | 'type' | 'key'>),
  one: Stored,
  turn: Turn,
  withdrawn = 0,
): void {
  const { orgId } = turn.address
  turn.append(
    anomalyState,
    {
      org_id: orgId,
      date: found.date,
      anomaly_type: found.type,
      anomaly_key: found.key,
      id: idOf(orgId, found),
      severity: found.suppressed ? 'info' : found.severity,
      method: found.method,
      actual_usd: found.actualUsd,
      expected_usd: found.expectedUsd,
      deviation_percent: found.deviationPercent,
      root_cause: found.rootCause,
      explained: JSON.stringify(found.explained),
      top_resources: JSON.stringify(found.topResources),
      cloud_account_id: found.cloudAccountId,
      team_id: found.teamId,
      origin: found.origin,
      suppressed: Number(found.suppressed),
      notified: Number(one.notifiedAt !== null),
      notified_at: one.notifiedAt,
      created_at: one.createdAt,
      withdrawn,
    },
    turn.now,
  )
}

function tell(found: Found, turn: Turn): void {
  const { orgId } = turn.address
  const eventType = anomalyEvent(found.type, found.severity)
  const { label, date, actualUsd, expectedUsd, deviationPercent, rootCause, topResources } = found
  const event = notification(eventType, {
    id: turn.id(),
    orgID: orgId,
    occurredAt: turn.now,
    severity: found.severity,
    title: `Cost of ${label}: ${centsText(actualUsd)} US dollars on ${date}, ${percent(deviationPercent)} % above ${centsText(expectedUsd)}`,
    summary: rootCause,
    scope: { type: found.type, id: found.type === 'org' ? '' : found.key },
    data: {
      anomalyID: idOf(orgId, found),
      date,
      actualCostUsd: cents(actualUsd),
      expectedCostUsd: cents(expectedUsd),
      deviationPercent: percent(deviationPercent),
      method: found.method,
      rootCause,
      topResources: topResources.map(shownResource),
    },
  })
  raise(turn, event)
}
