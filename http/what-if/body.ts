/** The request: the kind of question, the days, and the change. */
import { addDays, dayOf, daysBetween, startOf } from '#engine/value/day.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import { allocationKind } from '#http/what-if/allocation.ts'
import { anomalyKind } from '#http/what-if/anomaly.ts'
import { budgetKind } from '#http/what-if/budget.ts'
import { governanceKind } from '#http/what-if/governance.ts'
import { guardrailKind } from '#http/what-if/guardrail.ts'
import { wrong, type Days, type WhatIfKind } from '#http/what-if/kind.ts'
import { ruleKind } from '#http/what-if/rule.ts'
import { taggingKind } from '#http/what-if/tagging.ts'
import { text } from '#streams/text.ts'

/** To add a kind of question, add it here. */
export const kinds: readonly WhatIfKind[] = [
  ruleKind,
  governanceKind,
  anomalyKind,
  budgetKind,
  taggingKind,
  allocationKind,
  guardrailKind,
]

const kindsByName = new Map(kinds.map((one) => [one.name, one]))

/** Maximum days of one question. */
const daysMax = 31

const day = (description: string) => text({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description })

export const Body = t.Object(
  {
    kind: t.Enum(kinds.map(({ name }) => name)),
    from: t.Optional(day('first day; default: 30 days')),
    to: t.Optional(
      day(
        `last day, inclusive, at most ${daysMax - 1} days after from; default: the last settled day, for rules and governance today`,
      ),
    ),
    change: t.Object(Object.assign({}, ...kinds.map(({ change }) => change.properties)), {
      description: 'members of other kinds are rejected',
    }),
  },
  {
    examples: kinds.map(({ name, example }) => ({ kind: name, from: '2026-01-01', to: '2026-01-31', change: example })),
  },
)
export type Body = Static<typeof Body>

const daysDefault = 30

const isDay = (given: string): boolean => !Number.isNaN(startOf(given)) && dayOf(startOf(given)) === given

/** @param settledThrough the last day with complete costs @throws Fault `invalid` */
export function rangeGiven(
  { from: begin, to: end }: Pick<Body, 'from' | 'to'>,
  now: Date,
  { untilToday }: Pick<WhatIfKind, 'untilToday'>,
  settledThrough: string | undefined,
): Days {
  for (const [name, given] of Object.entries({ from: begin, to: end }))
    if (given !== undefined && !isDay(given)) throw wrong(`/${name}`, 'format', 'must be an existing day')
  const to = end ?? (untilToday ? dayOf(now) : (settledThrough ?? addDays(dayOf(now), -1)))
  const from = begin ?? addDays(to, 1 - daysDefault)
  if (from > to) throw wrong('/from', 'range', 'must not be after to')
  if (daysBetween(from, to) >= daysMax) throw wrong('/to', 'range', `must be at most ${daysMax - 1} days before to`)
  if (to > dayOf(now)) throw wrong('/to', 'range', 'must not be in the future')
  return { from, to }
}

/** The requested kind. @throws Fault `invalid` for members of another kind */
export function kindOf({ kind, change }: Body): WhatIfKind {
  const found = kindsByName.get(kind)!
  const others = Object.keys(change).filter((name) => !Object.hasOwn(found.change.properties, name))
  if (others.length === 0) return found
  throw badInput(
    ...others.map((name) => ({
      in: 'body' as const,
      name: `/change/${name}`,
      code: 'unknown',
      message: `is not a member of kind ${kind}`,
    })),
  )
}
