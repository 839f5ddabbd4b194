/** What people say of an anomaly: that somebody looks at it, or that it is no surprise until a day. */
import { addDays, dayOf } from '#engine/day.ts'
import { t, type Static } from '#engine/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import { AnomalyRecord, anomalySeen } from '#http/report/anomaly.ts'
import { anomalyReviewed, reviewStates } from '#streams/anomaly.ts'
import { text } from '#streams/text.ts'

/** How far ahead something may be expected. */
const aheadDaysMax = 400

const Body = t.Object(
  {
    state: t.Enum(reviewStates, {
      description: 'acknowledged: somebody looks at it; expected: nobody is to be told of more',
    }),
    until: t.Optional(
      t.String({
        maxLength: 10,
        description: `YYYY-MM-DD, the last day on which it is expected: with \`expected\` alone, and always; not before the day of the anomaly, by ${aheadDaysMax} days ahead at most`,
      }),
    ),
    note: t.Optional(text({ maxLength: 1000, description: 'shown to people' })),
  },
  { examples: [{ state: 'expected', until: '2026-01-31', note: 'Load tests of the shop' }, { state: 'acknowledged' }] },
)

const wrong = (code: string, message: string) => badInput({ in: 'body', name: '/until', code, message })

/** @throws Fault `invalid` */
function checkShape({ state, until }: Static<typeof Body>): void {
  if (state === 'expected' && until === undefined) throw wrong('required', 'is required with expected')
  if (state !== 'expected' && until !== undefined) throw wrong('unexpected', 'is for expected alone')
  if (until !== undefined && !isDay(until)) throw wrong('format', 'must be a day that exists, YYYY-MM-DD')
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

const fixed = {
  path: '/reports/anomalies/:anomalyID/review',
  permission: 'service.update',
  tags: ['Reports'],
  params: t.Object({ anomalyID: t.String({ description: 'as GET /reports/anomalies names it' }) }),
} as const

const which = ({ date, anomalyType: type, anomalyKey: key }: AnomalyRecord) => ({ date, type, key })

export const anomalyReviews: readonly Route[] = [
  route({
    ...fixed,
    method: 'PUT',
    summary: 'Say what an anomaly is, in place of what was said before',
    description:
      'Of what is expected nobody is told: later anomalies of the same key, up to `until`, are recorded as ever. What is ' +
      'acknowledged is told of as before.',
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
    ...fixed,
    method: 'DELETE',
    summary: 'Take back what was said of an anomaly; nobody is told of those that were recorded meanwhile',
    description: 'It counts as not judged again. Anomalies of the same kind that come later are told as ever.',
    status: 204,
    handle: async ({ caller, params: { anomalyID } }, services) => {
      const anomaly = await anomalySeen(caller, anomalyID, services)
      await services.ask(anomalyReviewed, { ...which(anomaly), review: null })
    },
  }),
]
