/** Event readiness: capacity that is scaled up before a known event, kept during it, and restored. */
import { t, type Static } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { Counts } from '#streams/autoscaling.ts'
import { text } from '#streams/text.ts'

export const planStatuses = [
  'draft',
  'scheduling',
  'scheduled',
  'scaling_up',
  'active',
  'scaling_down',
  'completed',
  'failed',
  'cancelled',
] as const
export type PlanStatus = (typeof planStatuses)[number]

/** In these states a plan can be changed and deleted, because its capacity has not been scaled up yet. */
export const schedulableStatuses = ['draft', 'scheduling', 'scheduled'] as const satisfies readonly PlanStatus[]

export const planLogKinds = ['transition', 'callback', 'intent'] as const
export type PlanLogKind = (typeof planLogKinds)[number]

const id = text({ minLength: 1, maxLength: 256 })
const user = text({ maxLength: 256 })
const moment = t.String({ format: 'date-time' })
const ofOrg = { kind: 'actor', place: () => orgWide } as const
const minutes = t.Integer({ minimum: 0, maximum: 1440 })

export const targetsMax = 50

/** The editable fields of a plan: decision G-82. */
export const PlanTerms = t.Object({
  name: text({ minLength: 1, maxLength: 100 }),
  description: t.Union([text({ maxLength: 1000 }), t.Null()]),
  eventStart: moment,
  eventEnd: moment,
  preScaleMinutes: minutes,
  postEventMinutes: minutes,
  expectedMultiplier: t.Number({ exclusiveMinimum: 0, maximum: 100 }),
  /** IANA time zone for display; the times themselves are absolute. */
  timezone: text({ minLength: 1, maxLength: 64 }),
  policyIds: t.Array(id, { minItems: 1, maxItems: targetsMax }),
})
export type PlanTerms = Static<typeof PlanTerms>

const plan = { planId: id }
const planExample = { planId: '3f0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01' }
const terms: PlanTerms = {
  name: 'Black Friday',
  description: null,
  eventStart: '2030-11-29T14:00:00.000Z',
  eventEnd: '2030-11-29T18:00:00.000Z',
  preScaleMinutes: 30,
  postEventMinutes: 45,
  expectedMultiplier: 3,
  timezone: 'Europe/Berlin',
  policyIds: ['0f0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01'],
}

/**
 * Command: create a plan, or change fields of one that can still be scheduled. Runs alone, because two live plans may
 * not reserve a policy at the same time. Replies `{ planId }`. Refused: missing, conflict `plan_not_schedulable`,
 * `policy_window_conflict`, invalid `unknown`.
 */
export const readinessSaved = subject({
  ...ofOrg,
  name: 'readiness.saved',
  summary: 'Create or update a readiness plan.',
  once: true,
  schema: t.Union([
    t.Object({ ...plan, isNew: t.Literal(true), terms: PlanTerms, userId: user }),
    t.Object({ ...plan, isNew: t.Literal(false), terms: t.Partial(PlanTerms), userId: user }),
  ]),
  examples: [
    { ...planExample, isNew: true, terms, userId: 'u-1' },
    { ...planExample, isNew: false, terms: { name: 'Cyber Monday' }, userId: 'u-1' },
  ],
})

/**
 * Command: reserve the targets and set the times, from draft, or from failed as a retry. Runs alone. Replies `{ planId
 * }`. Refused: missing, conflict `invalid_transition`, `policy_window_conflict`, refused `event_in_past`.
 */
export const readinessScheduled = subject({
  ...ofOrg,
  name: 'readiness.scheduled',
  summary: 'Schedule a readiness plan.',
  once: true,
  schema: t.Object({ ...plan, from: t.Enum(['draft', 'failed']), userId: user }),
  examples: [{ ...planExample, from: 'draft', userId: 'u-1' }],
})

const planVerbs = ['cancel', 'delete', 'draft', 'reopen'] as const
export type PlanVerb = (typeof planVerbs)[number]

/**
 * Command: cancel, delete, return a failed plan to draft (a retry), or reopen a completed one as draft. Replies `{
 * planId }`. Refused: missing, conflict `invalid_transition`, `plan_in_progress`.
 */
export const readinessCommanded = subject({
  ...ofOrg,
  name: 'readiness.commanded',
  summary: 'Cancel, delete or reopen a readiness plan.',
  once: true,
  schema: t.Object({ ...plan, verb: t.Enum(planVerbs), userId: user }),
  examples: [{ ...planExample, verb: 'cancel', userId: 'u-1' }],
})

const planPhases = ['reserved', 'raised', 'restored'] as const
export type PlanPhase = (typeof planPhases)[number]

/** A policy's report about its target. `originals` are the counts before the plan, `counts` the current ones. */
export const planReported = subject({
  ...ofOrg,
  name: 'plan.reported',
  summary: 'The result for a target of a readiness plan.',
  once: true,
  schema: t.Object({
    ...plan,
    revision: t.Integer({ minimum: 1 }),
    policyId: id,
    phase: t.Enum(planPhases),
    status: t.Enum(['running', 'succeeded', 'failed']),
    originals: t.Optional(Counts),
    counts: t.Optional(Counts),
    message: t.Optional(text({ maxLength: 2000 })),
    /** For a failure: whether a retry may succeed. */
    retryable: t.Optional(t.Boolean()),
  }),
  examples: [
    {
      ...planExample,
      revision: 1,
      policyId: terms.policyIds[0]!,
      phase: 'raised',
      status: 'succeeded',
      originals: { min: 2, max: 10, desired: 4 },
      counts: { min: 5, max: 22, desired: 9 },
    },
  ],
})

/**
 * An executor's report about a whole plan, by the internal callback. Replies `{ planId }`. Refused: missing, conflict
 * `invalid_transition`.
 */
export const planCalledBack = subject({
  ...ofOrg,
  name: 'plan.called-back',
  summary: 'An executor reports the progress of a readiness plan.',
  once: true,
  schema: t.Object({
    ...plan,
    status: t.Enum(planStatuses),
    revision: t.Integer({ minimum: 0 }),
    occurredAt: moment,
    message: t.Optional(text({ maxLength: 2000 })),
    results: t.Optional(t.Array(t.Object({ policyId: id, ...Counts.properties }), { maxItems: targetsMax })),
  }),
  examples: [{ ...planExample, status: 'active', revision: 1, occurredAt: '2030-11-29T13:31:00.000Z' }],
})

/**
 * `ack`: its targets should be reserved by now. `up`, `down`: its window starts, ends. `restore`: a target has to be
 * restored again.
 */
const planDueKinds = ['ack', 'up', 'down', 'restore'] as const
export type PlanDueKind = (typeof planDueKinds)[number]

export const readinessDue = subject({
  ...ofOrg,
  name: 'readiness.due',
  summary: 'A time that a readiness plan was waiting for has come.',
  schema: t.Object({ ...plan, revision: t.Integer({ minimum: 1 }), what: t.Enum(planDueKinds) }),
  examples: [{ ...planExample, revision: 1, what: 'up' }],
})

export const readinessMessages = [
  readinessSaved,
  readinessScheduled,
  readinessCommanded,
  planReported,
  planCalledBack,
  readinessDue,
]
