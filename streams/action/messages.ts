/**
 * Starting and stopping resources: who asks for it, what the cloud says, who is told. All of a resource's go through its
 * own lane, one at a time.
 */
import { t, type Static } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { execResult, intentId } from '#streams/action/exec.ts'
import { ResourceUid, resourcesMax } from '#streams/attribution.ts'
import { text } from '#streams/text.ts'

export const powerActions = ['start', 'stop'] as const
export type PowerAction = (typeof powerActions)[number]

export const actionStatuses = ['pending', 'running', 'succeeded', 'failed'] as const
export type ActionStatus = (typeof actionStatuses)[number]

/** Who changes states, as the history names them. */
export const changerTypes = ['schedule', 'manual', 'bulk', 'override', 'override_expired'] as const
export type ChangerType = (typeof changerTypes)[number]

const moment = t.String({ format: 'date-time' })
const id = text({ minLength: 1, maxLength: 256 })
const account = text({ minLength: 1, maxLength: 1024 })
const verb = t.Enum(powerActions)

/** Who asks for an action, and who wants to hear of its end. */
export const ActionSource = t.Object({
  type: t.Enum(changerTypes),
  /** Of the user, the bulk action, the schedule or the override. */
  id,
  /** Of a schedule: what it was called when it fired, and the event of that fire. */
  name: t.Optional(text()),
  eventId: t.Optional(id),
  /** The bulk action it is a member of; of a schedule that of its groups. */
  bulkId: t.Optional(id),
  /** The person behind it, where it was one: mails tell them of its end. */
  userId: t.Optional(id),
  /** The workflow that asks in that person's name, and the name of its call: it hears what became of it, and has approvals to show. */
  workflow: t.Optional(t.Object({ jobId: id, call: id })),
})
export type ActionSource = Static<typeof ActionSource>

/** As the history shows it (decision G-62). Names may hold colons: nobody reads it back. */
export const changedByOf = ({ type, name, id: of }: ActionSource): string =>
  type === 'schedule' ? `schedule:${name ?? ''}:${of}` : `${type}:${of}`

/**
 * Command, and what bulk actions, schedules and overrides tell: start or stop a resource. Who asks with an inbox is answered
 * `{ actionId }` or with the fault; a source is told of the end instead, also where nothing was begun.
 */
export const actionWanted = subject({
  name: 'action.wanted',
  kind: 'actor',
  summary: 'Start or stop a resource.',
  place: (data) => data.cloudAccountId,
  once: true,
  schema: t.Object({
    actionId: id,
    cloudAccountId: account,
    resourceUid: ResourceUid,
    action: verb,
    reason: t.Union([text(), t.Null()]),
    source: ActionSource,
  }),
  examples: [
    {
      actionId: '3f4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a01',
      cloudAccountId: 'acct-1',
      resourceUid: 'i-1',
      action: 'stop',
      reason: 'schedule Night',
      source: { type: 'schedule', id: 's-1', name: 'Night', eventId: 'e-1' },
    },
  ],
})

/** Counts that a stop takes to none and a start brings back. */
export const Capacity = t.Object({
  min: t.Integer({ minimum: 0 }),
  max: t.Integer({ minimum: 0 }),
  desired: t.Integer({ minimum: 0 }),
})
export type Capacity = Static<typeof Capacity>

export const reportedStatuses = ['accepted', 'running', 'succeeded', 'failed'] as const

/**
 * What became of the call of one try: `accepted` before it is made; then `succeeded`, `running` (taken, not done yet) or
 * `failed`. Twice for one call at most, so its ids end in `/accepted` and `/ended`.
 */
export const actionReported = subject({
  name: 'action.reported',
  kind: 'actor',
  summary: 'The result of the call that starts or stops a resource.',
  place: (data) => data.cloudAccountId,
  once: true,
  schema: t.Object({
    intentId,
    cloudAccountId: account,
    resourceUid: ResourceUid,
    status: t.Enum(reportedStatuses),
    /** Of a failure: whether the same may succeed later, and what to tell people. */
    retryable: t.Optional(t.Boolean()),
    errorMessage: t.Optional(text()),
    /** Of a failure: the resource or its account is not there any more, so no call was made. */
    isUnmade: t.Optional(t.Boolean()),
    /** Of a failure: what the workflow that asked has not to show, so no call was made. */
    refusal: t.Optional(t.Enum(['unapproved', 'halted'])),
    observedState: t.Optional(t.Enum(['running', 'stopped'])),
    /** Of a stop: what the resource had before. */
    before: t.Optional(Capacity),
  }),
  examples: [
    { intentId: 'n-1', cloudAccountId: 'acct-1', resourceUid: 'i-1', status: 'accepted' },
    { intentId: 'n-1', cloudAccountId: 'acct-1', resourceUid: 'i-1', status: 'succeeded', observedState: 'stopped' },
    {
      intentId: 'n-2',
      cloudAccountId: 'acct-1',
      resourceUid: 'i-1',
      status: 'failed',
      retryable: true,
      errorMessage: 'The cloud is throttling requests.',
    },
  ],
})

const ofTry = t.Object({ cloudAccountId: account, resourceUid: ResourceUid, intentId })
const tryExample = { cloudAccountId: 'acct-1', resourceUid: 'i-1', intentId: 'n-1' }

/** Reminder: the pause before the next try is over. */
export const actionRetryDue = subject({
  name: 'action.retry_due',
  kind: 'actor',
  summary: 'The pause before the next try of an action has ended.',
  place: (data) => data.cloudAccountId,
  schema: ofTry,
  examples: [tryExample],
})

/** Reminder: look whether the cloud is done. */
export const actionLookDue = subject({
  name: 'action.look_due',
  kind: 'actor',
  summary: 'Check whether the cloud has finished an action.',
  place: (data) => data.cloudAccountId,
  schema: ofTry,
  examples: [tryExample],
})

/** Reminder: a try has had its ten minutes, or the hour in which somebody takes it up. */
export const actionLimitReached = subject({
  name: 'action.limit_reached',
  kind: 'actor',
  summary: 'A try of an action timed out.',
  place: (data) => data.cloudAccountId,
  schema: ofTry,
  examples: [tryExample],
})

/** From a resource's power to itself: the action that another one waited for is over. */
export const actionWaited = subject({
  name: 'action.waited',
  kind: 'actor',
  summary: 'The action that another action was waiting for has ended.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({ cloudAccountId: account, resourceUid: ResourceUid, actionId: id }),
  examples: [{ cloudAccountId: 'acct-1', resourceUid: 'i-1', actionId: 'a-2' }],
})

/** Reminder: what ended last need not be held any longer. */
export const powerRested = subject({
  name: 'power.rested',
  kind: 'actor',
  summary: 'A resource has not been started or stopped for a while.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({ cloudAccountId: account, resourceUid: ResourceUid }),
  examples: [{ cloudAccountId: 'acct-1', resourceUid: 'i-1' }],
})

/** Everything that is known of an action: decision G-60, and what the interface shows of it. */
export const ActionRecord = t.Object({
  actionId: id,
  cloudAccountId: account,
  resourceUid: ResourceUid,
  provider: text(),
  resourceType: text(),
  region: text(),
  action: verb,
  reason: t.Union([text(), t.Null()]),
  status: t.Enum(actionStatuses),
  errorMessage: t.Union([text(), t.Null()]),
  source: ActionSource,
  /** Tries begun: 1 to 3; 0 for one that needed no call. */
  attempt: t.Integer({ minimum: 0 }),
  nextAttemptAt: t.Union([moment, t.Null()]),
  createdAt: moment,
  startedAt: t.Union([moment, t.Null()]),
  endedAt: t.Union([moment, t.Null()]),
  /** Rises with every change: of two the larger is the newer. */
  revision: t.Integer({ minimum: 1 }),
})
export type ActionRecord = Static<typeof ActionRecord>

/** From the resource's power to the record of an action that is over, and to whoever counts what actions do. */
export const actionTold = subject({
  name: 'action.told',
  kind: 'actor',
  summary: 'An action ended.',
  place: (data) => data.cloudAccountId,
  schema: ActionRecord,
  examples: [
    {
      actionId: '3f4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a01',
      cloudAccountId: 'acct-1',
      resourceUid: 'i-1',
      provider: 'aws',
      resourceType: 'aws-ec2',
      region: 'us-east-1',
      action: 'stop',
      reason: 'schedule Night',
      status: 'succeeded',
      errorMessage: null,
      source: { type: 'schedule', id: 's-1', name: 'Night', eventId: 'e-1' },
      attempt: 1,
      nextAttemptAt: null,
      createdAt: '2026-01-15T19:00:00.000Z',
      startedAt: '2026-01-15T19:00:00.100Z',
      endedAt: '2026-01-15T19:00:01.000Z',
      revision: 3,
    },
  ],
})

/** The record of an old action is deleted. */
export const actionExpired = subject({
  name: 'action.expired',
  kind: 'actor',
  summary: 'The record of an old action is deleted.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({ cloudAccountId: account, actionId: id }),
  examples: [{ cloudAccountId: 'acct-1', actionId: '3f4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a01' }],
})

/**
 * From the resource's power to the resource: what it shows while an action is in flight, until `until` at most; null when
 * that is over. Of two the one of the later `at`, then of the larger `n`, counts.
 */
export const powerTold = subject({
  name: 'power.told',
  kind: 'actor',
  summary: 'An action on a resource started or ended.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({
    cloudAccountId: account,
    resourceUid: ResourceUid,
    actionId: id,
    at: moment,
    n: t.Integer({ minimum: 0 }),
    shows: t.Union([t.Enum(['starting', 'stopping']), t.Null()]),
    until: t.Optional(moment),
    /** What the cloud said at the end. */
    observed: t.Optional(t.Enum(['running', 'stopped'])),
  }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      resourceUid: 'i-1',
      actionId: 'a-1',
      at: '2026-01-15T19:00:00.100Z',
      n: 1,
      shows: 'stopping',
      until: '2026-01-15T19:15:00.100Z',
    },
    {
      cloudAccountId: 'acct-1',
      resourceUid: 'i-1',
      actionId: 'a-1',
      at: '2026-01-15T19:00:01.000Z',
      n: 2,
      shows: null,
      observed: 'stopped',
    },
  ],
})

/** Reminder of a resource: no word of its action for a quarter of an hour. */
export const powerUnheard = subject({
  name: 'power.unheard',
  kind: 'actor',
  summary: 'No result was reported for the action on a resource.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({ cloudAccountId: account, resourceUid: ResourceUid, actionId: id }),
  examples: [{ cloudAccountId: 'acct-1', resourceUid: 'i-1', actionId: 'a-1' }],
})

/** To a resource that an override has held: do what its schedules, or an override that still holds, demand now. */
export const demandAsked = subject({
  name: 'action.demand_asked',
  kind: 'actor',
  summary: 'Bring a resource into its currently required state.',
  place: (data) => data.cloudAccountId,
  once: true,
  schema: t.Object({ cloudAccountId: account, resourceUid: ResourceUid, overrideId: id }),
  examples: [{ cloudAccountId: 'acct-1', resourceUid: 'i-1', overrideId: 'o-1' }],
})

/** How an action ended for who asked for it; `blocked` by an override, without a call. */
export const memberOutcomes = ['succeeded', 'failed', 'blocked'] as const

const ended = {
  actionId: id,
  cloudAccountId: account,
  resourceUid: ResourceUid,
  outcome: t.Enum(memberOutcomes),
  message: t.Optional(text()),
}
const endedExample = { actionId: 'a-1', cloudAccountId: 'acct-1', resourceUid: 'i-1', outcome: 'succeeded' } as const

/** To the bulk action whose member a resource is. */
export const bulkMemberEnded = subject({
  name: 'bulk.member_ended',
  kind: 'actor',
  summary: 'The action on a member of a bulk action has ended.',
  place: () => orgWide,
  once: true,
  schema: t.Object({ bulkId: id, ...ended }),
  examples: [{ bulkId: 'b-1', ...endedExample }],
})

/** To the event of a schedule's fire. `cloudAccountId` is empty where no account has the resource. */
export const schedulerMemberEnded = subject({
  name: 'scheduler_event.member_ended',
  kind: 'actor',
  summary: 'The action of a schedule on a resource has ended.',
  place: (data) => data.scheduleId,
  once: true,
  schema: t.Object({ scheduleId: id, eventId: id, ...ended, cloudAccountId: text({ maxLength: 1024 }) }),
  examples: [{ scheduleId: 's-1', eventId: 'e-1', ...endedExample }],
})

/**
 * Command, and what a schedule tells for its groups: start or stop the members of these groups, as they are at that turn,
 * tier by tier. Shown to people unless it is a schedule's. Answers `{ bulkActionId, total }`.
 */
export const bulkRequested = subject({
  name: 'bulk.requested',
  kind: 'actor',
  summary: 'Start or stop the members of resource groups in tier order.',
  place: () => orgWide,
  once: true,
  schema: t.Object({
    bulkId: id,
    /** A schedule's may be several; a resource that several have goes once, with the first of them. */
    groupIds: t.Array(id, { minItems: 1, maxItems: 100 }),
    /** Resources that go by themselves: left out. */
    except: t.Array(ResourceUid, { maxItems: resourcesMax }),
    action: verb,
    reason: t.Union([text(), t.Null()]),
    source: ActionSource,
  }),
  examples: [
    {
      bulkId: 'b-1',
      groupIds: ['g-1'],
      except: [],
      action: 'start',
      reason: null,
      source: { type: 'bulk', id: 'b-1', bulkId: 'b-1' },
    },
  ],
})

/** The record of an old bulk action is deleted. */
export const bulkExpired = subject({
  name: 'bulk.expired',
  kind: 'actor',
  summary: 'The record of an old bulk action is deleted.',
  place: () => orgWide,
  schema: t.Object({ bulkId: id }),
  examples: [{ bulkId: 'b-1' }],
})

export const actionMessages = [
  actionWanted,
  actionReported,
  actionRetryDue,
  actionLookDue,
  actionLimitReached,
  actionWaited,
  powerRested,
  actionTold,
  actionExpired,
  powerTold,
  powerUnheard,
  demandAsked,
  bulkMemberEnded,
  schedulerMemberEnded,
  bulkRequested,
  bulkExpired,
  execResult,
]
