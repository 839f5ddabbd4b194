/** What is asked: of which kind, of which days, and what would be otherwise. */
import { addDays, dayOf, daysBetween, startOf } from '#engine/day.ts'
import { t, type Static } from '#engine/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import { text } from '#streams/text.ts'

export const kinds = ['anomaly', 'budget'] as const

/** Days of one question. */
export const daysMax = 31

const day = (description: string) => text({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description })
const id = (description: string) => text({ minLength: 1, maxLength: 64, description })
const Bounds = t.Object({
  percent: t.Optional(t.Number({ exclusiveMinimum: 0, maximum: 1e6, description: 'above the baseline' })),
  deviations: t.Optional(
    t.Number({ exclusiveMinimum: 0, maximum: 1e3, description: 'standard deviations above the mean' }),
  ),
})

const Change = t.Object(
  {
    thresholds: t.Optional(
      t.Object(
        { warning: t.Optional(Bounds), critical: t.Optional(Bounds), emergency: t.Optional(Bounds) },
        { description: 'anomaly: from which bounds on a day is one; what is left out stays as it is' },
      ),
    ),
    baselineUSDMin: t.Optional(
      t.Number({ minimum: 0, maximum: 1e9, description: 'anomaly: US dollars a day below which nothing is judged' }),
    ),
    differencePercent: t.Optional(
      t.Number({
        minimum: 0,
        maximum: 1000,
        description: 'anomaly: what differs by less from the one before is the same story',
      }),
    ),
    budgetID: t.Optional(id('budget: the one that would be otherwise')),
    teamID: t.Optional(id('budget: a new one, for this team')),
    resourceGroupID: t.Optional(id('budget: a new one, for this group')),
    monthlyBudgetUSD: t.Optional(t.Number({ exclusiveMinimum: 0, maximum: 1e12, description: 'budget' })),
    alertThresholdPercent: t.Optional(
      t.Number({ minimum: 1, maximum: 100, description: 'budget; 80 for a new one unless given' }),
    ),
  },
  { description: 'members of other kinds are refused' },
)
export type Change = Static<typeof Change>

export const Body = t.Object(
  {
    kind: t.Enum(kinds),
    from: t.Optional(day('first day; 30 days are asked for unless given')),
    to: t.Optional(day(`last day, included, at most ${daysMax - 1} days behind from; yesterday unless given`)),
    change: Change,
  },
  {
    examples: [
      {
        kind: 'anomaly',
        from: '2026-01-01',
        to: '2026-01-31',
        change: { thresholds: { warning: { percent: 50 } }, baselineUSDMin: 5 },
      },
    ],
  },
)
export type Body = Static<typeof Body>

const wrong = (name: string, code: string, message: string) => badInput({ in: 'body', name, code, message })

const daysDefault = 30

const isDay = (given: string): boolean => !Number.isNaN(startOf(given)) && dayOf(startOf(given)) === given

/** @throws Fault `invalid` */
export function rangeGiven({ from: begin, to: end }: Pick<Body, 'from' | 'to'>, now: Date) {
  for (const [name, given] of Object.entries({ from: begin, to: end }))
    if (given !== undefined && !isDay(given)) throw wrong(`/${name}`, 'format', 'is no day that exists')
  const to = end ?? addDays(dayOf(now), -1)
  const from = begin ?? addDays(to, 1 - daysDefault)
  if (from > to) throw wrong('/from', 'range', 'must not be after to')
  if (daysBetween(from, to) >= daysMax) throw wrong('/to', 'range', `must be at most ${daysMax - 1} days behind from`)
  if (to > dayOf(now)) throw wrong('/to', 'range', 'must not be in the future')
  return { from, to }
}

const members = {
  anomaly: ['thresholds', 'baselineUSDMin', 'differencePercent'],
  budget: ['budgetID', 'teamID', 'resourceGroupID', 'monthlyBudgetUSD', 'alertThresholdPercent'],
} as const satisfies Record<(typeof kinds)[number], readonly (keyof Change)[]>

/** @throws Fault `invalid` for members of another kind */
export function checkChange({ kind, change }: Body): void {
  const own: readonly string[] = members[kind]
  const others = Object.keys(change).filter((name) => !own.includes(name))
  if (others.length === 0) return
  throw badInput(
    ...others.map((name) => ({
      in: 'body' as const,
      name: `/change/${name}`,
      code: 'unknown',
      message: `is not of kind ${kind}`,
    })),
  )
}

export { wrong }
