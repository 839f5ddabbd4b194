import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { Counts } from '#streams/autoscaling.ts'
import type { PlanStatus } from '#streams/readiness.ts'

/** How far the target of one policy is; `idle` where nothing is asked of it. */
const targetStates = ['idle', 'reserving', 'reserved', 'raising', 'raised'] as const
type TargetState = (typeof targetStates)[number]

export interface PlanTarget {
  policyId: string
  /** Where the policy is. */
  cloudAccountId: string
  targetUid: string
  state: TargetState
  /** As captured when it was reserved, and again right before it was raised; null before. */
  originals: Counts | null
  /** What it was raised to. */
  scaled: Counts | null
  /** Its originals stay: a plan before has raised it and is not known to have put it back. */
  isKept?: boolean
}

/** A target that is to be put back, whatever becomes of its plan meanwhile. */
export interface OwedRestore {
  policyId: string
  cloudAccountId: string
  targetUid: string
  /** That it was asked for under; reports of another one are not about it. */
  revision: number
  originals: Counts | null
  /** Times it was asked for. */
  tries: number
  /** Milliseconds since 1970: when it is asked for again unless it is put back by then. */
  dueAt: number
  /** Whether an answer is awaited; else the pause before the next try goes on. */
  isAsked: boolean
  /** Tried every six hours only: people have been told. */
  isGivenUp: boolean
  /** What was said of it last. */
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
    /** Why it failed; empty otherwise. */
    reason: p.text(),
    targets: p.json<PlanTarget[]>(),
    owed: p.json<OwedRestore[]>(),
    /** Rises with every change of what is to happen; what answers an older one means nothing. */
    revision: p.integer(),
    /** Lines of `plan_log` written. */
    logged: p.integer(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    /** Deleted ones are kept for their log and never shown. */
    deletedAt: p.datetime(3).nullable(),
  },
  indexes: [{ properties: ['orgId', 'status'] }, { properties: ['orgId', 'createdAt', 'id'] }],
})

/** Capacity that is raised for an event and put back. Written only by the readiness actor. */
export class ReadinessPlan extends plan.class {}
plan.setClass(ReadinessPlan)
