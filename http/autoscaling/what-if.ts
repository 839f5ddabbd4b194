/** Replays a policy on the recorded load of a target. */
import { Points, type Point } from '#actors/autoscaling/policy/points.ts'
import { minutesOf, replay, type Minute } from '#actors/autoscaling/policy/what-if.ts'
import { unitUsdOf } from '#actors/autoscaling/policy/price.ts'
import type { Resource } from '#actors/resource/entity.ts'
import { recordedLoad } from '#analytics/autoscaling/questions.ts'
import { clickhouseTime } from '#analytics/store/time.ts'
import { dayMs } from '#engine/value/day.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { members, newTermsOf, Target, typeGiven } from '#http/autoscaling/body.ts'
import { problemsOf } from '#http/autoscaling/check.ts'
import { replayExample } from '#http/autoscaling/example.ts'
import { knownTarget } from '#http/autoscaling/target.ts'
import { orNull, Timestamp } from '#http/edge/parameter/field.ts'
import { badInput, type InputError } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import { cents } from '#streams/figure.ts'
import { text } from '#streams/text.ts'

/** Maximum days of one replay. */
const daysMax = 31

const moment = t.String({ format: 'date-time', maxLength: 64 })

const Body = t.Object(
  {
    cloudAccountID: t.Optional(
      text({
        minLength: 1,
        maxLength: 1024,
        description: 'default: the first account by ID that has the target',
      }),
    ),
    target: Target,
    min: members.min,
    max: members.max,
    targetCPUPercent: members.targetCPUPercent,
    cooldownSeconds: t.Optional(members.cooldownSeconds),
    triggers: t.Optional(members.triggers),
    adoption: t.Optional(members.adoption),
    step: t.Optional(members.step),
    maxHourlyUSD: t.Optional(members.maxHourlyUSD),
    from: moment,
    to: t.String({ format: 'date-time', maxLength: 64, description: `exclusive; at most ${daysMax} days after from` }),
    points: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: 500,
        description: 'maximum number of points in the series; default none',
      }),
    ),
  },
  { examples: [replayExample] },
)

/** Milliseconds since 1970. @throws Fault `invalid` */
function rangeOf({ from, to }: Static<typeof Body>): { since: number; until: number } {
  const [since, until] = [Date.parse(from), Date.parse(to)]
  const wrong = (name: string, code: string, message: string): InputError => ({ in: 'body', name, code, message })
  const isTime = (at: number) => at >= 0 && at <= Date.UTC(2101, 0)
  const problems = Object.entries({ from: since, to: until })
    .filter(([, at]) => !isTime(at))
    .map(([name]) => wrong(`/${name}`, 'format', 'must be between 1970 and 2100'))
  if (problems.length > 0) throw badInput(...problems)
  if (since >= until) throw badInput(wrong('/to', 'range', 'must be after from'))
  if (until - since > daysMax * dayMs)
    throw badInput(wrong('/to', 'range', `must be at most ${daysMax} days after from`))
  return { since, until }
}

const priceOf = ({ unitCount = null, hourlyRateUsd = null, specs }: Resource): number | null =>
  unitUsdOf({ unitCount, hourlyRateUsd, specs })

const hundredth = (value: number): number => Math.round(value * 100) / 100

const roundOrNull = (value: number | null): number | null => (value === null ? null : hundredth(value))
const showPoint = ({ at, cpuPercent, recordedUnits, units }: Point) => ({
  at: new Date(at).toISOString(),
  cpuPercent: roundOrNull(cpuPercent),
  recordedUnits: roundOrNull(recordedUnits),
  units: roundOrNull(units),
})

const Reply = t.Object(
  {
    writes: t.Integer({ description: 'number of changes it would have made' }),
    capacityHours: t.Number({ description: 'unit hours' }),
    hoursAboveTarget: t.Number({ description: 'how long its units would have run above targetCPUPercent' }),
    costUSD: orNull(t.Number({ description: 'null if the price of a unit is unknown' })),
    recordedCapacityHours: t.Number({ description: 'actual unit hours' }),
    measuredHours: t.Number({
      description: 'how much of the range has measurements; all other figures cover this part',
    }),
    points: t.Optional(
      t.Array(
        t.Object({
          at: Timestamp,
          cpuPercent: orNull(t.Number()),
          recordedUnits: orNull(t.Number({ description: 'actual' })),
          units: orNull(t.Number({ description: 'with the policy' })),
        }),
        {
          description: 'the series, oldest first, as means over equal intervals; null if there are no measurements',
        },
      ),
    ),
  },
  {
    title: 'WhatIf',
    examples: [
      {
        writes: 41,
        capacityHours: 612.5,
        hoursAboveTarget: 9.15,
        costUSD: 58.8,
        recordedCapacityHours: 1008,
        measuredHours: 144,
      },
    ],
  },
)

export const whatIfs: readonly Route[] = [
  route({
    method: 'POST',
    path: '/autoscaler-policies/what-if',
    readOnly: true,
    summary: 'Simulate a policy with the past load of its target; nothing is stored or changed',
    description:
      'Simulated minute by minute, with CPU times number of units as the load, for an autopilot whose cloud applies changes ' +
      'within a minute. A sample applies until the next one, for at most an hour. Returns 404 if the target is unknown.',
    permission: 'service.view',
    tags: ['Autoscaler policies'],
    body: Body,
    reply: Reply,
    refuses: { 404: ['not_found'], 422: ['report_too_large'] },
    handle: async ({ caller, body }, services) => {
      const { target, cloudAccountID: cloudAccountId, from: _from, to: _to, points: count, ...said } = body
      const terms = newTermsOf({ ...said, name: target.uid, mode: 'monitor', cloudAccountID: '' })
      const problems = problemsOf(terms)
      if (problems.length > 0) throw badInput(...problems)
      const { since, until } = rangeOf(body)
      const place = { in: 'body', name: '/target/type' } as const
      const asked = { type: typeGiven(target), uid: target.uid, cloudAccountId, place }
      const { account, resource } = await knownTarget(services, caller, asked)
      const range = { since: clickhouseTime(since), until: clickhouseTime(until) }
      const rows = await services.analytics(recordedLoad, { account: account.id, uid: resource.uid, ...range })
      const recorded = rows.map(({ at_ms: at, cpu_percent: cpuPercent, units }) => ({ at, cpuPercent, units }))
      const course = count === undefined ? undefined : new Points(since, until, count)
      const seen = (minute: Minute, units: number) => course?.take(minute, units)
      const made = replay(terms, minutesOf(recorded, since, until), priceOf(resource), seen)
      return {
        writes: made.writes,
        capacityHours: hundredth(made.capacityHours),
        hoursAboveTarget: hundredth(made.hoursAboveTarget),
        costUSD: made.costUsd === null ? null : cents(made.costUsd),
        recordedCapacityHours: hundredth(made.recordedCapacityHours),
        measuredHours: hundredth(made.measuredHours),
        ...(course && { points: course.read().map(showPoint) }),
      }
    },
  }),
]
