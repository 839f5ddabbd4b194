import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { Counts } from '#streams/autoscaling.ts'
import type { PlanStatus } from '#streams/readiness.ts'

/** State of one policy's target; `idle` if nothing is requested of it. */
const targetStates = ['idle', 'reserving', 'reserved', 'raising', 'raised'] as const
type TargetState = (typeof targetStates)[number]

export interface PlanTarget {
  policyId: string
  /** The account of the policy. */
  cloudAccountId: string
  targetUid: string
  state: TargetState
  /** Captured when it was reserved, and again right before it was scaled up; null before. */
  originals: Counts | null
  /** Counts after it was scaled up. */
  scaled: Counts | null
  /** `originals` must not be replaced: an earlier run scaled the target up, and it is not known to be restored. */
  isKept?: boolean
}

/** A target that must be restored, whatever happens to its plan. */
export interface OwedRestore {
  policyId: string
  cloudAccountId: string
  targetUid: string
  /** Revision of the request; reports of other revisions are ignored. */
  revision: number
  originals: Counts | null
  /** How often the restore was requested. */
  tries: number
  /** Milliseconds since 1970: when it is requested again unless restored by then. */
  dueAt: number
  /** Whether an answer is awaited; otherwise it pauses before the next try. */
  isAsked: boolean
  /** Only tried every six hours; people have been notified. */
  isGivenUp: boolean
  /** The last error. */
  message: string
}

const plan = defineEntity({
  name: 'ReadinessPlan',
  tableName: 'readiness_plan',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID. */
    id: p.text().primary(),
    name: p.text(),
    description: p.text().nullable(),
    eventStart: p.datetime(3),
    eventEnd: p.datetime(3),
    preScaleMinutes: p.integer(),
    postEventMinutes: p.integer(),
    expectedMultiplier: p.double().$type<number>(),
    timezone: p.text(),
    status: p.text().$type<PlanStatus>(),
    /** Why it failed; otherwise empty. */
    reason: p.text(),
    targets: p.json<PlanTarget[]>(),
    owed: p.json<OwedRestore[]>(),
    /** Increases with every change of what is to happen; answers to older revisions are ignored. */
    revision: p.integer(),
    /** Number of `plan_log` lines written. */
    logged: p.integer(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    /** Deleted plans are kept for their log and never shown. */
    deletedAt: p.datetime(3).nullable(),
  },
  indexes: [{ properties: ['orgId', 'status'] }, { properties: ['orgId', 'createdAt', 'id'] }],
})

/** A plan that scales capacity up for an event and restores it. Written only by the readiness actor. */
export class ReadinessPlan extends plan.class {}
plan.setClass(ReadinessPlan)
