/** What people say of an anomaly: that somebody looks at it, or that it is no surprise until a day. */
import { addDays, dayOf } from '#engine/value/day.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import { AnomalyRecord, anomalySeen } from './anomaly.ts'
import { anomalyReviewed, reviewStates } from '#streams/anomaly.ts'
import { text } from '#streams/text.ts'

/** How far ahead something may be expected. */
const aheadDaysMax = 400

const Body = t.Object(
  {
    state: t.Enum(reviewStates, {
      description: 'acknowledged: under investigation; expected: no further notifications',
    }),
    until: t.Optional(
      t.String({
        maxLength: 10,
        description: `YYYY-MM-DD, the last day on which it is expected: required with \`expected\`, not allowed otherwise; on or after the day of the anomaly, at most ${aheadDaysMax} days ahead`,
      }),
    ),
    note: t.Optional(text({ maxLength: 1000, description: 'display text' })),
  },
  { examples: [{ state: 'expected', until: '2026-01-31', note: 'Load tests of the shop' }, { state: 'acknowledged' }] },
)

const wrong = (code: string, message: string) => badInput({ in: 'body', name: '/until', code, message })

/** @throws Fault `invalid` */
function checkShape({ state, until }: Static<typeof Body>): void {
  if (state === 'expected' && until === undefined) throw wrong('required', 'is required with expected')
  if (state !== 'expected' && until !== undefined) throw wrong('unexpected', 'is only allowed with expected')
  if (until !== undefined && !isDay(until)) throw wrong('format', 'must be an existing day, YYYY-MM-DD')
}

/** @throws Fault `invalid` */
function checkUntil(until: string, date: string, now: Date): void {
  if (until < date) throw wrong('range', `must not be before ${date}, the day of the anomaly`)
  const last = addDays(dayOf(now), aheadDaysMax)
  if (until > last) throw wrong('range', `must not be after ${last}`)
}

function isDay(day: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(at) && dayOf(at) === day
}

const routeBase = {
  path: '/reports/anomalies/:anomalyID/review',
  permission: 'service.update',
  tags: ['Reports'],
  params: t.Object({ anomalyID: t.String({ description: 'as in GET /reports/anomalies' }) }),
} as const

const which = ({ date, anomalyType: type, anomalyKey: key }: AnomalyRecord) => ({ date, type, key })

export const anomalyReviews: readonly Route[] = [
  route({
    ...routeBase,
    method: 'PUT',
    summary: 'Review an anomaly, replacing any previous review',
    description:
      'Expected anomalies send no notifications: later anomalies with the same key, up to `until`, are still recorded. ' +
      'Acknowledged anomalies send notifications as before.',
    body: Body,
    reply: AnomalyRecord,
    handle: async ({ caller, params: { anomalyID }, body }, services) => {
      checkShape(body)
      const anomaly = await anomalySeen(caller, anomalyID, services)
      if (body.until !== undefined) checkUntil(body.until, anomaly.date, services.now())
      const review = { ...body, userId: caller.userId, at: services.now().toISOString() }
      await services.ask(anomalyReviewed, { ...which(anomaly), review })
      return anomalySeen(caller, anomalyID, services)
    },
  }),
  route({
    ...routeBase,
    method: 'DELETE',
    summary: 'Remove the review of an anomaly; nothing is sent for anomalies recorded in the meantime',
    description: 'The anomaly counts as unreviewed again. Later anomalies of the same kind send notifications again.',
    status: 204,
    handle: async ({ caller, params: { anomalyID } }, services) => {
      const anomaly = await anomalySeen(caller, anomalyID, services)
      await services.ask(anomalyReviewed, { ...which(anomaly), review: null })
    },
  }),
]
