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

/** An action that waits until the one before it on the resource is over. */
export interface PendingAction {
  record: ActionRecord
  resourceName: string
}

/** The action that is carried out on a resource now. */
export interface Live extends PendingAction {
  /** Names the call of the try that counts. */
  intentId: string
  /** Whether the cloud has taken it and is not done. */
  isTaken: boolean
  /** How often the cloud was looked at in this try. */
  looks: number
  /** What a stop found, as the first of its tries saw it. */
  before: Capacity | null
  /** Who asked for the same meanwhile, each under an id of its own: its end is theirs too. */
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
    /** The action that ended last, for a minute: until its own record can be read. */
    last: p.json<ActionRecord>().nullable(),
    /** What the last stop found: the next start brings it back. */
    before: p.json<Capacity>().nullable(),
    /** What the cloud said when the last action succeeded, for a minute: the resource may hear of it behind the next one. */
    seen: p.json<ObservedState>().nullable(),
    /** The workflow that alone may start and stop the resource, until then at most; ISO 8601. */
    held: p.json<{ jobId: string; until: string }>().nullable(),
    /** How often the resource was told what to show, since the row was made. */
    n: p.integer(),
    /** Of the three actions above. */
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

/** What is being done to start or stop a resource; no row while nothing is. Written only by the power actor. */
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
    /** Tries begun; 0 for one that needed no call. */
    attempt: p.integer(),
    nextAttemptAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    startedAt: p.datetime(3).nullable(),
    endedAt: p.datetime(3).nullable(),
    /** Of what its power has told: an older word changes nothing. */
    revision: p.integer(),
  },
  indexes: [{ properties: ['orgId', 'id'] }, { properties: ['orgId', 'endedAt'] }],
})

/** An action on a resource, as people see it; for ninety days after its end. Written only by the action actor. */
export class Action extends action.class {}
action.setClass(Action)

export const bulkStatuses = ['queued', 'running', 'completed', 'failed'] as const
type MemberOutcome = (typeof memberOutcomes)[number]

/** A resource of a bulk action. A uid that several accounts have is one member, whose action in each has an end of its own. */
export interface BulkMember {
  uid: string
  tier: number
  order: number
  status: 'waiting' | 'running' | MemberOutcome
  message?: string
  /** Empty where no account has it. */
  parts: { account: string; outcome?: MemberOutcome }[]
}

const bulk = defineEntity({
  name: 'BulkAction',
  tableName: 'bulk_action',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    id: p.text().primary(),
    /** The first of its groups; people's have one. */
    groupId: p.text(),
    type: p.text().$type<PowerAction>(),
    status: p.text().$type<(typeof bulkStatuses)[number]>(),
    reason: p.text().nullable(),
    source: p.json<ActionSource>(),
    /** Whether people see it: those of schedules are seen by their events. */
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

/** The members of resource groups, started or stopped tier by tier. Written only by the bulk actor. */
export class BulkAction extends bulk.class {}
bulk.setClass(BulkAction)
