/**
 * Starting and stopping resources: requests, reports of the cloud, and results. All actions of a resource go through
 * its own lane, one at a time.
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

/** Sources of state changes, as in the history. */
export const changerTypes = ['schedule', 'manual', 'bulk', 'override', 'override_expired'] as const

const moment = t.String({ format: 'date-time' })
const id = text({ minLength: 1, maxLength: 256 })
const account = text({ minLength: 1, maxLength: 1024 })
const verb = t.Enum(powerActions)

/** The source of an action, and the receivers of its result. */
export const ActionSource = t.Object({
  type: t.Enum(changerTypes),
  /** The id of the user, bulk action, schedule or override. */
  id,
  /** For a schedule: its name at the time of the run, and the event of that run. */
  name: t.Optional(text()),
  eventId: t.Optional(id),
  /** The bulk action it belongs to; for a schedule, the one for its groups. */
  bulkId: t.Optional(id),
  /** The person who requested it, if any: they are notified of the result by mail. */
  userId: t.Optional(id),
  /**
   * The workflow that requests it in that person's name, and the name of its call: the workflow gets the result, and
   * must have approvals.
   */
  workflow: t.Optional(t.Object({ jobId: id, call: id })),
})
export type ActionSource = Static<typeof ActionSource>

/** The source as in the history (decision G-62). Names may contain colons: the text is never parsed. */
export const changedByOf = ({ type, name, id: of }: ActionSource): string =>
  type === 'schedule' ? `schedule:${name ?? ''}:${of}` : `${type}:${of}`

/**
 * Command, also sent by bulk actions, schedules and overrides: start or stop a resource. A caller with an inbox gets `{
 * actionId }` or the fault; other sources get a message at the end, even if nothing was started.
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

/** Unit counts that a stop sets to zero and a start restores. */
export const Capacity = t.Object({
  min: t.Integer({ minimum: 0 }),
  max: t.Integer({ minimum: 0 }),
  desired: t.Integer({ minimum: 0 }),
})
export type Capacity = Static<typeof Capacity>

const reportedStatuses = ['accepted', 'running', 'succeeded', 'failed'] as const

/**
 * The result of one attempt's call: `accepted` before it is made; then `succeeded`, `running` (accepted, not finished)
 * or `failed`. At most two per call, so their ids end in `/accepted` and `/ended`.
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
    /** For a failure: whether a retry may succeed, and the message for people. */
    retryable: t.Optional(t.Boolean()),
    errorMessage: t.Optional(text()),
    /** For a failure: the resource or its account no longer exists, so no call was made. */
    isUnmade: t.Optional(t.Boolean()),
    /** For a failure: the workflow has no valid approval, or is halted, so no call was made. */
    refusal: t.Optional(t.Enum(['unapproved', 'halted'])),
    observedState: t.Optional(t.Enum(['running', 'stopped'])),
    /** For a stop: the unit counts before it. */
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

/** Reminder: the pause before the next attempt has ended. */
export const actionRetryDue = subject({
  name: 'action.retry_due',
  kind: 'actor',
  summary: 'The pause before the next try of an action has ended.',
  place: (data) => data.cloudAccountId,
  schema: ofTry,
  examples: [tryExample],
})

/** Reminder: check whether the cloud has finished. */
export const actionLookDue = subject({
  name: 'action.look_due',
  kind: 'actor',
  summary: 'Check whether the cloud has finished an action.',
  place: (data) => data.cloudAccountId,
  schema: ofTry,
  examples: [tryExample],
})

/** Reminder: an attempt has used its ten minutes, or the hour in which an executor must accept it. */
export const actionLimitReached = subject({
  name: 'action.limit_reached',
  kind: 'actor',
  summary: 'A try of an action timed out.',
  place: (data) => data.cloudAccountId,
  schema: ofTry,
  examples: [tryExample],
})

/** From a resource's power actor to itself: the action that another one waited for has ended. */
export const actionWaited = subject({
  name: 'action.waited',
  kind: 'actor',
  summary: 'The action that another action was waiting for has ended.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({ cloudAccountId: account, resourceUid: ResourceUid, actionId: id }),
  examples: [{ cloudAccountId: 'acct-1', resourceUid: 'i-1', actionId: 'a-2' }],
})

/** Reminder: the last finished action no longer needs to be kept. */
export const powerRested = subject({
  name: 'power.rested',
  kind: 'actor',
  summary: 'A resource has not been started or stopped for a while.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({ cloudAccountId: account, resourceUid: ResourceUid }),
  examples: [{ cloudAccountId: 'acct-1', resourceUid: 'i-1' }],
})

/** The full record of an action: decision G-60, and the fields that the interface shows. */
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
  /** Attempts so far: 1 to 3; 0 if no call was needed. */
  attempt: t.Integer({ minimum: 0 }),
  nextAttemptAt: t.Union([moment, t.Null()]),
  createdAt: moment,
  startedAt: t.Union([moment, t.Null()]),
  endedAt: t.Union([moment, t.Null()]),
  /** Increases with every change: of two records the larger is newer. */
  revision: t.Integer({ minimum: 1 }),
})
export type ActionRecord = Static<typeof ActionRecord>

/** From the resource's power actor to the record of a finished action, and to the actors that count results. */
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

/** Deletes the record of an old action. */
export const actionExpired = subject({
  name: 'action.expired',
  kind: 'actor',
  summary: 'The record of an old action is deleted.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({ cloudAccountId: account, actionId: id }),
  examples: [{ cloudAccountId: 'acct-1', actionId: '3f4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a01' }],
})

/**
 * From the resource's power actor to the resource: the state to show while an action is in progress, until `until` at
 * most; null once it has ended. Of two messages the one with the later `at`, then the larger `n`, counts.
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
    /** The final state that the cloud reported. */
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

/** Reminder of a resource: no message about its action for a quarter of an hour. */
export const powerUnheard = subject({
  name: 'power.unheard',
  kind: 'actor',
  summary: 'No result was reported for the action on a resource.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({ cloudAccountId: account, resourceUid: ResourceUid, actionId: id }),
  examples: [{ cloudAccountId: 'acct-1', resourceUid: 'i-1', actionId: 'a-1' }],
})

/** To a resource after an override: apply what its schedules, or another active override, require now. */
export const demandAsked = subject({
  name: 'action.demand_asked',
  kind: 'actor',
  summary: 'Bring a resource into its currently required state.',
  place: (data) => data.cloudAccountId,
  once: true,
  schema: t.Object({ cloudAccountId: account, resourceUid: ResourceUid, overrideId: id }),
  examples: [{ cloudAccountId: 'acct-1', resourceUid: 'i-1', overrideId: 'o-1' }],
})

/** The result of an action for its source; `blocked` by an override, without a call. */
export const memberOutcomes = ['succeeded', 'failed', 'blocked'] as const

const memberResult = {
  actionId: id,
  cloudAccountId: account,
  resourceUid: ResourceUid,
  outcome: t.Enum(memberOutcomes),
  message: t.Optional(text()),
}
const endedExample = { actionId: 'a-1', cloudAccountId: 'acct-1', resourceUid: 'i-1', outcome: 'succeeded' } as const

/** To the bulk action that the resource is a member of. */
export const bulkMemberEnded = subject({
  name: 'bulk.member_ended',
  kind: 'actor',
  summary: 'The action on a member of a bulk action has ended.',
  place: () => orgWide,
  once: true,
  schema: t.Object({ bulkId: id, ...memberResult }),
  examples: [{ bulkId: 'b-1', ...endedExample }],
})

/** To the event of a schedule's run. `cloudAccountId` is empty if no account has the resource. */
export const schedulerMemberEnded = subject({
  name: 'scheduler_event.member_ended',
  kind: 'actor',
  summary: 'The action of a schedule on a resource has ended.',
  place: (data) => data.scheduleId,
  once: true,
  schema: t.Object({ scheduleId: id, eventId: id, ...memberResult, cloudAccountId: text({ maxLength: 1024 }) }),
  examples: [{ scheduleId: 's-1', eventId: 'e-1', ...endedExample }],
})

/**
 * Command, also sent by schedules for their groups: start or stop the members that these groups have at that turn, in
 * tier order. Visible to people unless a schedule sent it. Replies `{ bulkActionId, total }`.
 */
export const bulkRequested = subject({
  name: 'bulk.requested',
  kind: 'actor',
  summary: 'Start or stop the members of resource groups in tier order.',
  place: () => orgWide,
  once: true,
  schema: t.Object({
    bulkId: id,
    /** A schedule may send several; a resource in more than one is processed once, with the first group. */
    groupIds: t.Array(id, { minItems: 1, maxItems: 100 }),
    /** Resources that are processed separately and left out here. */
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

/** Deletes the record of an old bulk action. */
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
