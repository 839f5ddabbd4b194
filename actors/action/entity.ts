import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type {
  ActionRecord,
  ActionSource,
  ActionStatus,
  Capacity,
  memberOutcomes,
  PowerAction,
} from '#streams/action/messages.ts'

/** An action that waits for the one before it on the resource to end. */
export interface PendingAction {
  record: ActionRecord
  resourceName: string
}

/** The action in progress on a resource. */
export interface Live extends PendingAction {
  /** Id of the call of the current try. */
  intentId: string
  /** Whether the cloud has accepted it and has not finished. */
  isTaken: boolean
  /** How often the cloud was checked in this try. */
  looks: number
  /** Capacity before a stop, as the first of its tries found it. */
  before: Capacity | null
  /** Later requests for the same action, each with an id of its own: they end together with it. */
  also: { actionId: string; source: ActionSource }[]
}

interface ObservedState {
  state: 'running' | 'stopped'
  /** ISO 8601, UTC. */
  at: string
}

const power = defineEntity({
  name: 'Power',
  tableName: 'power',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    resourceUid: p.text().primary(),
    live: p.json<Live>().nullable(),
    waiting: p.json<PendingAction>().nullable(),
    /** The action that ended last, kept for a minute, until its own record can be read. */
    last: p.json<ActionRecord>().nullable(),
    /** Capacity before the last stop, restored by the next start. */
    before: p.json<Capacity>().nullable(),
    /**
     * State that the cloud reported when the last action succeeded, kept for a minute: the resource may be notified
     * only after the next action.
     */
    seen: p.json<ObservedState>().nullable(),
    /** The workflow that alone may start and stop the resource, and until when at the latest; ISO 8601. */
    held: p.json<{ jobId: string; until: string }>().nullable(),
    /** How often the resource was notified what to show, since the row was created. */
    n: p.integer(),
    /** Ids of the three actions above, for look-ups. */
    liveId: p.text().nullable(),
    waitingId: p.text().nullable(),
    lastId: p.text().nullable(),
  },
  indexes: [
    { properties: ['orgId', 'liveId'] },
    { properties: ['orgId', 'waitingId'] },
    { properties: ['orgId', 'lastId'] },
  ],
})

/**
 * What is being done to start or stop a resource; while nothing is, there is no row. Written only by the power actor.
 */
export class Power extends power.class {}
power.setClass(Power)

const action = defineEntity({
  name: 'Action',
  tableName: 'action',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    id: p.text().primary(),
    resourceUid: p.text(),
    provider: p.text(),
    resourceType: p.text(),
    region: p.text(),
    action: p.text().$type<PowerAction>(),
    reason: p.text().nullable(),
    status: p.text().$type<ActionStatus>(),
    errorMessage: p.text().nullable(),
    source: p.json<ActionSource>(),
    /** Tries started; 0 for an action that needed no call. */
    attempt: p.integer(),
    nextAttemptAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    startedAt: p.datetime(3).nullable(),
    endedAt: p.datetime(3).nullable(),
    /** Version of the record that the power actor sent: older ones are ignored. */
    revision: p.integer(),
  },
  indexes: [{ properties: ['orgId', 'id'] }, { properties: ['orgId', 'endedAt'] }],
})

/** An action on a resource, as people see it; kept for ninety days after its end. Written only by the action actor. */
export class Action extends action.class {}
action.setClass(Action)

export const bulkStatuses = ['queued', 'running', 'completed', 'failed'] as const
type MemberOutcome = (typeof memberOutcomes)[number]

/**
 * A resource of a bulk action. A uid that several accounts have is one member; its action in each account ends
 * separately.
 */
export interface BulkMember {
  uid: string
  tier: number
  order: number
  status: 'waiting' | 'running' | MemberOutcome
  message?: string
  /** Empty if no account has it. */
  parts: { account: string; outcome?: MemberOutcome }[]
}

const bulk = defineEntity({
  name: 'BulkAction',
  tableName: 'bulk_action',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    id: p.text().primary(),
    /** The first of its groups; a bulk action requested by a person has one group. */
    groupId: p.text(),
    type: p.text().$type<PowerAction>(),
    status: p.text().$type<(typeof bulkStatuses)[number]>(),
    reason: p.text().nullable(),
    source: p.json<ActionSource>(),
    /** Whether people see it. Those of schedules are hidden: they are shown as schedule events. */
    shown: p.boolean(),
    /** Members, and how many of them have succeeded and failed. */
    total: p.integer(),
    completed: p.integer(),
    failed: p.integer(),
    /** In the order in which they are started or stopped. */
    members: p.json<BulkMember[]>(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    endedAt: p.datetime(3).nullable(),
  },
  indexes: [{ properties: ['orgId', 'createdAt'] }, { properties: ['orgId', 'endedAt'] }],
})

/** A bulk action on the members of resource groups, in tier order. Written only by the bulk actor. */
export class BulkAction extends bulk.class {}
bulk.setClass(BulkAction)
