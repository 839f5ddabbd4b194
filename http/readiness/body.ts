/** Readiness plans in requests and responses. */
import type { ReadinessPlan } from '#actors/readiness/entity.ts'
import { t, type Static, type TSchema } from '#engine/value/schema.ts'
import { Name, orNull, Timestamp } from '#http/edge/parameter/field.ts'
import { badInput, type InputError } from '#http/edge/problem.ts'
import { planExample, termsExample } from '#http/readiness/example.ts'
import { isZone } from '#streams/cron/messages.ts'
import { planStatuses, targetsMax, type PlanTerms } from '#streams/readiness.ts'
import { text } from '#streams/text.ts'

const minutes = (description: string) => t.Integer({ minimum: 0, maximum: 1440, description })
const moment = (description: string) => t.String({ format: 'date-time', maxLength: 64, description })

export const Targets = t.Array(
  t.Object({ policyId: text({ minLength: 1, maxLength: 256, description: 'of an autoscaler policy' }) }),
  { minItems: 1, maxItems: targetsMax, description: 'policies whose targets are scaled up; duplicates count once' },
)

/** What previews need besides the targets. */
export const planFields = {
  eventStart: moment('ISO 8601 with a time zone'),
  eventEnd: moment('after eventStart'),
  expectedMultiplier: t.Number({
    exclusiveMinimum: 0,
    maximum: 100,
    description: 'expected load as a multiple of the usual load',
  }),
}
export const margins = {
  preScaleMinutes: minutes('time before the event at which capacity is scaled up'),
  postEventMinutes: minutes('time after the event at which capacity is restored'),
}

const members = {
  name: Name,
  description: text({ maxLength: 1000 }),
  ...planFields,
  ...margins,
  timezone: text({
    minLength: 1,
    maxLength: 64,
    description: 'IANA time zone for display, such as Europe/Berlin; the times themselves are absolute',
  }),
  targets: Targets,
}

export const CreateBody = t.Object(
  { ...members, description: t.Optional(orNull(members.description)) },
  { examples: [termsExample] },
)

const optional = <M extends Record<string, TSchema>>(all: M) =>
  Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, t.Optional(schema)])) as {
    [K in keyof M]: ReturnType<typeof t.Optional<M[K]>>
  }

export const PatchBody = t.Object(
  { ...optional(members), description: t.Optional(orNull(members.description)) },
  { examples: [{ name: 'Black Friday, the long one', eventEnd: '2030-11-29T22:00:00Z' }] },
)

const original = (what: string) =>
  t.Optional(t.Integer({ description: `${what} before the event; present once captured` }))

export const Plan = t.Object(
  {
    id: t.String(),
    orgId: t.String(),
    name: t.String(),
    description: orNull(t.String()),
    eventStart: Timestamp,
    eventEnd: Timestamp,
    preScaleMinutes: t.Integer(),
    postEventMinutes: t.Integer(),
    expectedMultiplier: t.Number(),
    timezone: t.String(),
    status: t.Enum(planStatuses),
    targets: t.Array(
      t.Object({
        policyId: t.String(),
        originalMin: original('minimum units'),
        originalMax: original('maximum units'),
        originalDesired: original('units'),
      }),
    ),
    createdAt: Timestamp,
  },
  { title: 'ReadinessPlan', examples: [planExample] },
)

export const show = (plan: ReadinessPlan): Static<typeof Plan> => ({
  id: plan.id,
  orgId: plan.orgId,
  name: plan.name,
  description: plan.description ?? null,
  eventStart: plan.eventStart.toISOString(),
  eventEnd: plan.eventEnd.toISOString(),
  preScaleMinutes: plan.preScaleMinutes,
  postEventMinutes: plan.postEventMinutes,
  expectedMultiplier: plan.expectedMultiplier,
  timezone: plan.timezone,
  status: plan.status,
  targets: plan.targets.map(({ policyId, originals }) => ({
    policyId,
    ...(originals && {
      originalMin: originals.min,
      originalMax: originals.max,
      originalDesired: originals.desired,
    }),
  })),
  createdAt: plan.createdAt.toISOString(),
})

const problem = (name: string, code: string, message: string): InputError => ({ in: 'body', name, code, message })

/** Within what the tables can store. A time such as 24:00:60Z matches the format but does not exist. */
function isMoment(given: string): boolean {
  const year = new Date(given).getUTCFullYear()
  return year >= 1970 && year <= 2100
}

type Patch = Static<typeof PatchBody>

/** @throws Fault `invalid` with every invalid member */
export function checkMembers({
  eventStart,
  eventEnd,
  timezone,
}: Pick<Patch, 'eventStart' | 'eventEnd' | 'timezone'>): void {
  const times = Object.entries({ eventStart, eventEnd }).filter(([, at]) => at !== undefined && !isMoment(at))
  const problems = times.map(([name]) => problem(`/${name}`, 'range', 'must be between 1970 and 2100'))
  if (timezone !== undefined && !isZone(timezone))
    problems.push(problem('/timezone', 'zone_unknown', 'is not an IANA time zone, such as Europe/Berlin'))
  if (problems.length > 0) throw badInput(...problems)
}

/** Policies without repeats. */
export const policyIdsOf = (targets: Static<typeof Targets>): string[] => [
  ...new Set(targets.map(({ policyId }) => policyId)),
]

const utc = (at: string): string => new Date(at).toISOString()

/** The changed terms of a plan. @throws as `checkMembers` */
export function changesOf({ name, eventStart, eventEnd, targets, ...rest }: Patch): Partial<PlanTerms> {
  checkMembers({ ...rest, ...(eventStart && { eventStart }), ...(eventEnd && { eventEnd }) })
  return {
    ...rest,
    ...(name !== undefined && { name: name.trim() }),
    ...(eventStart !== undefined && { eventStart: utc(eventStart) }),
    ...(eventEnd !== undefined && { eventEnd: utc(eventEnd) }),
    ...(targets !== undefined && { policyIds: policyIdsOf(targets) }),
  } as Partial<PlanTerms>
}

/** The terms of a new plan. @throws as `checkMembers` */
export const termsOf = (body: Static<typeof CreateBody>): PlanTerms =>
  ({ description: null, ...changesOf(body) }) as PlanTerms
