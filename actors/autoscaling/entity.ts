import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type {
  Adoption,
  AutoscalerMode,
  AutoscalerStatus,
  AutoscalerTerms,
  Counts,
  InfrastructureStatus,
  Trigger,
} from '#streams/autoscaling.ts'

/** An open recommendation: counts before and after. */
export interface Proposal {
  id: string
  fromMin: number
  fromMax: number
  toMin: number
  toMax: number
  toDesired: number
  /** The units that the load needs, stored once the change is made. */
  need: number | null
  reason: string
  createdAt: string
}

/** What is known of the target. Until the cloud reports them, its bounds are those of the policy. */
export interface Current extends Counts {
  cpuPercent: number | null
  /** ISO 8601. */
  observedAt: string
}

const changeKinds = ['write', 'schedule', 'apply', 'replace', 'look'] as const
/** Calls of the policy itself: change the target, replace its own scaling policies, or read it. */
export type ChangeKind = (typeof changeKinds)[number]

/** A call that has not been answered yet. */
export interface InFlight {
  /** Identifies the call: `<kind>/<n>`. */
  call: string
  kind: ChangeKind
  from: Counts
  /** Undefined if nothing is to be changed. */
  to?: Counts
  need: number | null
  reason: string
  /** The person who applied it; empty if the service did. */
  appliedBy: string
  /** The target's own scaling policies are replaced by the same call. */
  replaces?: boolean
  /** Evaluate again after the call: meanwhile a person requested it or, with `byClock`, a trigger opened or closed. */
  hasEdge?: boolean
  byClock?: boolean
}

/** The window for which a readiness plan has reserved the target. ISO 8601. */
interface Reservation {
  planId: string
  revision: number
  from: string
  to: string
  /** The call whose answer goes to the plan; empty once it is answered. */
  call: string
}

const holdStates = ['waiting', 'looking', 'raising', 'held', 'restoring'] as const
type HoldState = (typeof holdStates)[number]

/** A readiness plan that holds the target. `waiting`: for an earlier call that is still in progress. */
export interface Hold {
  planId: string
  revision: number
  multiplier: number
  /** ISO 8601: nothing is scaled up at or after this time. */
  until: string
  state: HoldState
  /** The call that is awaited; empty between calls. */
  call: string
  originals: Counts | null
  scaled: Counts | null
  /** Failed tries of the call. */
  tries: number
  /** The target is restored as soon as the call in progress ends. */
  isOver: boolean
  /** The plan that scales up next, once the target is restored: another plan, or a later revision of this one. */
  next?: { planId: string; revision: number; multiplier: number; until: string }
}

/**
 * Why a policy is in error: its target is gone, the credentials do not work, its changes fail, or its infrastructure
 * could not be created.
 */
export type ErrorCause = '' | 'gone' | 'credentials' | 'failures' | 'infrastructure'

/** State of the savings count, stored with the policy. Times are ISO 8601. */
export interface PolicySaving {
  /** Units before the first change. `since`: when that change was made. */
  baseline: number
  since: string
  /**
   * Time of the newest count. `units` is null while the policy does not control the target: paused, stopped, or held by
   * a plan.
   */
  at: string
  units: number | null
  /** Saved on the UTC day of `at` so far: US dollars x 10^14 x milliseconds/hour, as text. */
  sum: string
  /** When the sum was last written as a fact; empty if it has not been. */
  writtenAt: string
}

interface Stop {
  /** Milliseconds since 1970. */
  at: number
  /** The cloud has reported that it is stopped. */
  isSeen: boolean
}

const terms = {
  name: p.text(),
  mode: p.text().$type<AutoscalerMode>(),
  min: p.integer(),
  max: p.integer(),
  targetCpuPercent: p.double().$type<number>(),
  cooldownSeconds: p.integer(),
  triggers: p.json<Trigger[]>(),
  adoption: p.text().$type<Adoption>().nullable(),
  step: p.json<NonNullable<AutoscalerTerms['step']>>().nullable(),
  maxHourlyUsd: p.double().$type<number>().nullable(),
}

const policy = defineEntity({
  name: 'AutoscalerPolicy',
  tableName: 'autoscaler_policy',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    targetUid: p.text().primary(),
    /** A UUID. A new policy for the same target gets a new id. */
    policyId: p.text(),
    provider: p.text(),
    targetType: p.text(),
    ...terms,
    /** The requested mode, limited by what the credentials of the account allow. */
    effectiveMode: p.text().$type<AutoscalerMode>(),
    status: p.text().$type<AutoscalerStatus>(),
    /** Why the policy has this status; empty if there is nothing to say. */
    statusReason: p.text(),
    isPaused: p.boolean(),
    /** The target was in the inventory and no longer is. */
    isGone: p.boolean(),
    /** An action that has stopped the target, or is about to: the policy does nothing until it runs again. */
    stop: p.json<Stop>().nullable(),
    /** Time of the last observation of the target, milliseconds since 1970. */
    seenAt: p.double().$type<number>(),
    /** The error of the newest change once three in a row have failed; otherwise empty. */
    failure: p.text(),
    /** Whether the account needs infrastructure of ours first. */
    needsInfrastructure: p.boolean(),
    recommendation: p.json<Proposal>().nullable(),
    current: p.json<Current>(),
    /** Whether the cloud, not the policy, reported the bounds in `current`. */
    isTold: p.boolean(),
    /** CPU of the last five minutes, [milliseconds since 1970, percent], oldest first, at most 300. */
    points: p.json<[number, number][]>(),
    /** Time of the newest unit count, milliseconds since 1970; older counts are ignored. */
    countedAt: p.double().$type<number>(),
    /** Units that the load needed at the last change. */
    need: p.integer().nullable(),
    /** US dollars per hour of one unit. */
    unitUsd: p.double().$type<number>().nullable(),
    /** When the newest change was decided. */
    lastWriteAt: p.datetime(3).nullable(),
    inFlight: p.json<InFlight>().nullable(),
    /** Failed changes in a row. */
    failures: p.integer(),
    /** Whether the target's own scaling policies have been replaced, if adoption is `replace`. */
    isReplaced: p.boolean(),
    plans: p.json<Reservation[]>(),
    hold: p.json<Hold>().nullable(),
    /** The newest ended revision of each plan, by plan id; the 20 newest plans. Late messages of them are ignored. */
    endedPlans: p.json<[string, number][]>(),
    /** Number of calls requested so far, which numbers them. */
    calls: p.integer(),
    /** Its savings since its first change as autopilot; null before. */
    saving: p.json<PolicySaving>().nullable(),
    /** Number of events recorded. */
    told: p.integer(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [
    { properties: ['orgId', 'policyId'] },
    { properties: ['orgId', 'name'] },
    { properties: ['orgId', 'status'] },
    { properties: ['orgId', 'createdAt'] },
  ],
})

/** An autoscaler policy; each target has at most one. Written only by the autoscaler actor. */
export class AutoscalerPolicy extends policy.class {}
policy.setClass(AutoscalerPolicy)

const removedPolicy = defineEntity({
  name: 'RemovedAutoscalerPolicy',
  tableName: 'autoscaler_removed',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    policyId: p.text().primary(),
    targetUid: p.text(),
    provider: p.text(),
    targetType: p.text(),
    ...terms,
    effectiveMode: p.text().$type<AutoscalerMode>(),
    current: p.json<Current>(),
    lastWriteAt: p.datetime(3).nullable(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    removedAt: p.datetime(3),
  },
  indexes: [{ properties: ['orgId', 'policyId'] }],
})

/** The last state of a removed policy. Written only by the autoscaler-removed actor. */
export class RemovedAutoscalerPolicy extends removedPolicy.class {}
removedPolicy.setClass(RemovedAutoscalerPolicy)

const infrastructure = defineEntity({
  name: 'ScalingInfrastructure',
  tableName: 'scaling_infrastructure',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    status: p.text().$type<InfrastructureStatus>(),
    /** Tries to create it. */
    attempt: p.integer(),
    role: p.text().nullable(),
    runtime: p.text().nullable(),
    message: p.text(),
    createdAt: p.datetime(3).nullable(),
    updatedAt: p.datetime(3),
  },
})

/**
 * Infrastructure that the policies of an account need in its cloud. Written only by the scaling-infrastructure actor.
 */
export class ScalingInfrastructure extends infrastructure.class {}
infrastructure.setClass(ScalingInfrastructure)
