/** Autoscaler policies: the number of units of a target, by load and by the clock. */
import { t, type Static } from '#engine/value/schema.ts'
import { subject } from '#engine/actor/subject.ts'
import { ResourceUid } from '#streams/attribution.ts'
import { text } from '#streams/text.ts'

export const autoscalerModes = ['monitor', 'recommend', 'autopilot'] as const
export type AutoscalerMode = (typeof autoscalerModes)[number]

export const triggerPresets = ['business-hours', 'peak-hours', 'weekend-scale-down'] as const
export type TriggerPreset = (typeof triggerPresets)[number]

export const adoptions = ['adopt', 'replace'] as const
export type Adoption = (typeof adoptions)[number]

/** `removed` is for the records kept after removal. */
export const autoscalerStatuses = [
  'active',
  'paused',
  'event_hold',
  'error',
  'pending_infrastructure',
  'removed',
] as const
export type AutoscalerStatus = (typeof autoscalerStatuses)[number]

export const autoscalerEventKinds = [
  'recommendation',
  'apply',
  'pause',
  'resume',
  'write',
  'failure',
  'schedule',
  'mode_change',
  'event_hold',
  'remove',
] as const
export type AutoscalerEventKind = (typeof autoscalerEventKinds)[number]

export const infrastructureStatuses = ['not_created', 'creating', 'ready', 'failed', 'deleting'] as const
export type InfrastructureStatus = (typeof infrastructureStatuses)[number]

const id = text({ minLength: 1, maxLength: 256 })
const account = text({ minLength: 1, maxLength: 1024 })
const user = text({ maxLength: 256 })
const ofAccount = { kind: 'actor', place: (data: { cloudAccountId: string }) => data.cloudAccountId } as const

/** Maximum units of a fleet. */
export const unitsMax = 100_000
const units = t.Integer({ minimum: 0, maximum: unitsMax })

const clock = text({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description: 'HH:MM' })

/**
 * When the minimum number of units is different. `days` (1 is Monday), `start` and `end` replace those of the preset.
 */
export const Trigger = t.Object({
  preset: t.Enum(triggerPresets),
  /** IANA time zone. */
  timezone: text({ minLength: 1, maxLength: 64 }),
  days: t.Optional(t.Array(t.Integer({ minimum: 1, maximum: 7 }), { minItems: 1, maxItems: 7 })),
  start: t.Optional(clock),
  end: t.Optional(clock),
  minCapacity: t.Optional(units),
})
export type Trigger = Static<typeof Trigger>

export const triggersMax = 20

/**
 * The editable fields of a policy except mode and target: decision G-75, and the additional `step` and `maxHourlyUsd`.
 */
export const AutoscalerTerms = t.Object({
  name: text({ minLength: 1, maxLength: 100 }),
  min: units,
  max: t.Integer({ minimum: 1, maximum: unitsMax }),
  targetCpuPercent: t.Number({ minimum: 10, maximum: 90 }),
  cooldownSeconds: t.Integer({ minimum: 0, maximum: 86_400 }),
  triggers: t.Array(Trigger, { maxItems: triggersMax }),
  adoption: t.Union([t.Enum(adoptions), t.Null()]),
  /** Maximum units that one change may add or remove; left out: no limit. */
  step: t.Union([
    t.Object({ up: t.Optional(t.Integer({ minimum: 1 })), down: t.Optional(t.Integer({ minimum: 1 })) }),
    t.Null(),
  ]),
  /** Maximum cost of the fleet in US dollars per hour. */
  maxHourlyUsd: t.Union([t.Number({ exclusiveMinimum: 0, maximum: 1e9 }), t.Null()]),
})
export type AutoscalerTerms = Static<typeof AutoscalerTerms>

const policy = { cloudAccountId: account, targetUid: ResourceUid, policyId: id }
const policyExample = {
  cloudAccountId: 'acct-1',
  targetUid: 'asg-web',
  policyId: '0f0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
}

const terms: AutoscalerTerms = {
  name: 'Web',
  min: 2,
  max: 10,
  targetCpuPercent: 60,
  cooldownSeconds: 300,
  triggers: [{ preset: 'business-hours', timezone: 'America/New_York' }],
  adoption: null,
  step: null,
  maxHourlyUsd: null,
}

/**
 * Command: create a policy for a target that has none, or change fields of it. Replies `{ policyId }`. Refused:
 * conflict `already_exists`, missing, conflict `policy_removed`.
 */
export const autoscalerSaved = subject({
  ...ofAccount,
  name: 'autoscaler.saved',
  summary: 'Create or update the autoscaler policy of a target.',
  once: true,
  schema: t.Union([
    t.Object({
      ...policy,
      isNew: t.Literal(true),
      mode: t.Enum(autoscalerModes),
      provider: id,
      targetType: id,
      /** Whether the account must have our infrastructure first. */
      needsInfrastructure: t.Boolean(),
      terms: AutoscalerTerms,
      userId: user,
    }),
    t.Object({ ...policy, isNew: t.Literal(false), terms: t.Partial(AutoscalerTerms), userId: user }),
  ]),
  examples: [
    {
      ...policyExample,
      isNew: true,
      mode: 'monitor',
      provider: 'aws',
      targetType: 'aws-asg',
      needsInfrastructure: false,
      terms,
      userId: 'u-1',
    },
    { ...policyExample, isNew: false, terms: { max: 12 }, userId: 'u-1' },
  ],
})

const autoscalerVerbs = ['pause', 'resume', 'apply'] as const
export type AutoscalerVerb = (typeof autoscalerVerbs)[number]

/**
 * Command: pause, resume, or apply the policy's recommendation. Replies `{ policyId }`; for `apply`, once the cloud has
 * been called.
 * Refused: conflict `invalid_transition`, `no_recommendation`, `policy_removed`; refused `capability_missing`.
 */
export const autoscalerCommanded = subject({
  ...ofAccount,
  name: 'autoscaler.commanded',
  summary: 'Pause or resume an autoscaler policy, or apply its recommendation.',
  once: true,
  schema: t.Object({ ...policy, verb: t.Enum(autoscalerVerbs), userId: user }),
  examples: [{ ...policyExample, verb: 'apply', userId: 'u-1' }],
})

/**
 * Command: remove the policy. Runs alone, because the record that remains is another row in the same commit. Replies `{
 * policyId }`.
 */
export const autoscalerRemoved = subject({
  ...ofAccount,
  name: 'autoscaler.removed',
  summary: 'Delete the autoscaler policy of a target. Its changes remain.',
  once: true,
  schema: t.Object({ ...policy, userId: user }),
  examples: [{ ...policyExample, userId: 'u-1' }],
})

/**
 * `begin`: it was created or changed, and is evaluated with the current state. `edge`: a trigger starts or ends.
 * `look`: the cooldown has ended. `limit`: a call got no result. `hold`: a plan's call is to be repeated. `unanswered`:
 * that call got no result. `verdict`, `infrastructure`: those of the account may have changed.
 */
const autoscalerDueKinds = [
  'begin',
  'edge',
  'look',
  'limit',
  'hold',
  'unanswered',
  'verdict',
  'infrastructure',
] as const
export type AutoscalerDueKind = (typeof autoscalerDueKinds)[number]

/** Reminder, also sent by its account. An empty `policyId` means any policy that the target has. */
export const autoscalerDue = subject({
  ...ofAccount,
  name: 'autoscaler.due',
  summary: 'Evaluate an autoscaler policy.',
  schema: t.Object({ ...policy, policyId: text({ maxLength: 256 }), what: t.Enum(autoscalerDueKinds) }),
  examples: [{ ...policyExample, what: 'edge' }],
})

/** Unit counts of a target. */
export const Counts = t.Object({ min: units, max: units, desired: units })
export type Counts = Static<typeof Counts>

/** The result of a call: of a change, or of a query for the number of units. `call` names it. */
export const targetReported = subject({
  ...ofAccount,
  name: 'target.reported',
  summary: 'The result of a call requested by an autoscaler policy.',
  once: true,
  schema: t.Object({
    ...policy,
    call: id,
    status: t.Enum(['succeeded', 'failed']),
    /** The target's current counts; left out if it reports none. */
    counts: t.Optional(Counts),
    /** For a query by a readiness plan: mean CPU of the last 14 days, percent; null if there are no samples. */
    averageCpu: t.Optional(t.Union([t.Number(), t.Null()])),
    /** For a failure: the cloud's code and message, and whether a retry may succeed. */
    code: t.Optional(id),
    message: t.Optional(text({ maxLength: 2000 })),
    retryable: t.Optional(t.Boolean()),
  }),
  examples: [
    { ...policyExample, call: 'write/3', status: 'succeeded', counts: { min: 6, max: 10, desired: 6 } },
    { ...policyExample, call: 'write/4', status: 'failed', code: 'throttled', message: 'Slow down.', retryable: true },
  ],
})

/**
 * Command: create what policies of real accounts need in the cloud. Runs alone. Replies `{ cloudAccountId, isBegun }`:
 * infrastructure that exists, or is being created, is left as it is. Refused: missing, refused `capability_missing`.
 */
export const infrastructureWanted = subject({
  ...ofAccount,
  name: 'scaling-infrastructure.wanted',
  summary: 'Create the cloud infrastructure that autoscaler policies of an account need.',
  once: true,
  schema: t.Object({ cloudAccountId: account, userId: user }),
  examples: [{ cloudAccountId: 'acct-1', userId: 'u-1' }],
})

export const infrastructureReported = subject({
  ...ofAccount,
  name: 'scaling-infrastructure.reported',
  summary: 'The result of creating the infrastructure of an account.',
  once: true,
  schema: t.Object({
    cloudAccountId: account,
    attempt: t.Integer({ minimum: 1 }),
    status: t.Enum(['ready', 'failed']),
    /** The names given by the cloud. */
    role: t.Union([text(), t.Null()]),
    runtime: t.Union([text(), t.Null()]),
    message: t.Optional(text({ maxLength: 2000 })),
  }),
  examples: [
    { cloudAccountId: 'acct-1', attempt: 1, status: 'ready', role: 'role/tidemark', runtime: 'function/tidemark' },
  ],
})

const plan = {
  cloudAccountId: account,
  targetUid: ResourceUid,
  policyId: id,
  planId: id,
  revision: t.Integer({ minimum: 1 }),
}
const planExample = { ...policyExample, planId: '3f0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01', revision: 1 }
const moment = t.String({ format: 'date-time' })

/** From a plan to a policy: reserve it for an event. Answered by `plan.reported` with the current counts. */
export const planReserved = subject({
  ...ofAccount,
  name: 'plan.reserved',
  summary: 'A readiness plan reserves the target of a policy for a time window.',
  schema: t.Object({ ...plan, from: moment, to: moment }),
  examples: [{ ...planExample, from: '2030-11-29T13:30:00.000Z', to: '2030-11-29T18:45:00.000Z' }],
})

/**
 * From a plan to a policy: scale the target up now and hold it there, until `until` at most. Answered by
 * `plan.reported` with the previous and the current counts.
 */
export const planRaised = subject({
  ...ofAccount,
  name: 'plan.raised',
  summary: 'Scale up the target of a policy for an event.',
  schema: t.Object({ ...plan, multiplier: t.Number({ exclusiveMinimum: 0 }), until: moment }),
  examples: [{ ...planExample, multiplier: 3, until: '2030-11-29T18:00:00.000Z' }],
})

/** From a plan to a policy: restore the target and release it. Answered by `plan.reported`. */
export const planRestored = subject({
  ...ofAccount,
  name: 'plan.restored',
  summary: 'Restore the target of a policy to its capacity before an event.',
  schema: t.Object({ ...plan, originals: t.Union([Counts, t.Null()]) }),
  examples: [{ ...planExample, originals: { min: 2, max: 10, desired: 4 } }],
})

/** From a plan to a policy: the reservation is cancelled. Not answered. */
export const planReleased = subject({
  ...ofAccount,
  name: 'plan.released',
  summary: 'A readiness plan releases the target of a policy.',
  schema: t.Object(plan),
  examples: [planExample],
})

export const autoscalingMessages = [
  autoscalerSaved,
  autoscalerCommanded,
  autoscalerRemoved,
  autoscalerDue,
  targetReported,
  infrastructureWanted,
  infrastructureReported,
  planReserved,
  planRaised,
  planRestored,
  planReleased,
]
