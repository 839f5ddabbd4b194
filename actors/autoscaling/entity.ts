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

/** A change that is open: what it would make of what. */
export interface Proposal {
  id: string
  fromMin: number
  fromMax: number
  toMin: number
  toMax: number
  toDesired: number
  /** What the load needs, to be kept with the change. */
  need: number | null
  reason: string
  createdAt: string
}

/** What is known of the target. Before anybody has said, its bounds are those of the policy. */
export interface Current extends Counts {
  cpuPercent: number | null
  /** ISO 8601. */
  observedAt: string
}

const changeKinds = ['write', 'schedule', 'apply', 'replace', 'look'] as const
/** What is asked of the cloud for the policy itself: to change the target, to put its own policies out of the way, to look. */
export type ChangeKind = (typeof changeKinds)[number]

/** A call that has not been answered. */
export interface InFlight {
  /** Names it: `<kind>/<n>`. */
  call: string
  kind: ChangeKind
  from: Counts
  /** Undefined where nothing is to be changed. */
  to?: Counts
  need: number | null
  reason: string
  /** Who applied it; empty for what the service did by itself. */
  appliedBy: string
  /** Its own policies are replaced with it. */
  replaces?: boolean
  /** It is to be judged anew behind it: a person has asked meanwhile, or, where `byClock`, a trigger has opened or shut. */
  hasEdge?: boolean
  byClock?: boolean
}

/** The window of a readiness plan that has reserved the target. ISO 8601. */
interface Reservation {
  planId: string
  revision: number
  from: string
  to: string
  /** The look that answers the plan; empty once it has. */
  call: string
}

const holdStates = ['waiting', 'looking', 'raising', 'held', 'restoring'] as const
type HoldState = (typeof holdStates)[number]

/** A readiness plan holds the target. `waiting`: for a call that was under way before it. */
export interface Hold {
  planId: string
  revision: number
  multiplier: number
  /** ISO 8601: nothing is raised from then on. */
  until: string
  state: HoldState
  /** That is waited for; empty between two. */
  call: string
  originals: Counts | null
  scaled: Counts | null
  /** Tries of the call before that failed. */
  tries: number
  /** It is to be put back as soon as the call under way is over. */
  isOver: boolean
  /** The raise that is to follow once the target is put back: another plan's, or a later one of this. */
  next?: { planId: string; revision: number; multiplier: number; until: string }
}

/** Why a policy is in error: its target is gone, its account lets nobody in, its changes fail, its infrastructure could not be made. */
export type ErrorCause = '' | 'gone' | 'credentials' | 'failures' | 'infrastructure'

/** What is kept of it between counts, with the policy. Times are ISO 8601. */
export interface PolicySaving {
  /** Units before the first change, and when that was. */
  baseline: number
  since: string
  /** The newest count; null units while the policy does not hold the target: it is paused, stopped, or raised for an event. */
  at: string
  units: number | null
  /** Saved on the UTC day of `at` so far: dollars x 10^14 x milliseconds an hour, as text. */
  sum: string
  /** When that was written down last; empty while it was not. */
  writtenAt: string
}

interface Stop {
  /** Milliseconds since 1970. */
  at: number
  /** The cloud has said that it is stopped. */
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
    /** A UUID. A target that gets another policy gets another id. */
    policyId: p.text(),
    provider: p.text(),
    targetType: p.text(),
    ...terms,
    /** What the asked mode comes to by what the credentials of the account allow. */
    effectiveMode: p.text().$type<AutoscalerMode>(),
    status: p.text().$type<AutoscalerStatus>(),
    /** Why it is as it is; empty for nothing to say. */
    statusReason: p.text(),
    isPaused: p.boolean(),
    /** The inventory had the target, and has it no more. */
    isGone: p.boolean(),
    /** An action that has stopped the target, or is about to: it is left alone until it runs again. */
    stop: p.json<Stop>().nullable(),
    /** Of what was seen of the target last, milliseconds since 1970. */
    seenAt: p.double().$type<number>(),
    /** Why its newest change failed, once three in a row have; empty otherwise. */
    failure: p.text(),
    /** Whether the account has to have infrastructure of ours first. */
    needsInfrastructure: p.boolean(),
    recommendation: p.json<Proposal>().nullable(),
    current: p.json<Current>(),
    /** Whether the cloud, and not the policy, has told the bounds of `current`. */
    isTold: p.boolean(),
    /** CPU of the last five minutes, [milliseconds since 1970, percent], in order of time, at most 300. */
    points: p.json<[number, number][]>(),
    /** Of units the newest sample, milliseconds since 1970; older ones say nothing. */
    countedAt: p.double().$type<number>(),
    /** What the load needed when the target was changed last. */
    need: p.integer().nullable(),
    /** US dollars an hour of one unit. */
    unitUsd: p.double().$type<number>().nullable(),
    /** When the newest change was decided on. */
    lastWriteAt: p.datetime(3).nullable(),
    inFlight: p.json<InFlight>().nullable(),
    /** Changes that failed in a row. */
    failures: p.integer(),
    /** Whether policies that the target had of its own were replaced, where that is asked for. */
    isReplaced: p.boolean(),
    plans: p.json<Reservation[]>(),
    hold: p.json<Hold>().nullable(),
    /** Plans that are over, by id the newest revision, the 20 newest: what comes late for one begins nothing. */
    endedPlans: p.json<[string, number][]>(),
    /** Calls asked for; names them. */
    calls: p.integer(),
    /** What it saves, from its first change as autopilot on; null before. */
    saving: p.json<PolicySaving>().nullable(),
    /** Events told. */
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

/** How many units a target shall have. Written only by the autoscaler actor; one a target. */
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

/** What a policy was when it was removed. Written only by the autoscaler-removed actor. */
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
    /** Tries to make it. */
    attempt: p.integer(),
    role: p.text().nullable(),
    runtime: p.text().nullable(),
    message: p.text(),
    createdAt: p.datetime(3).nullable(),
    updatedAt: p.datetime(3),
  },
})

/** What policies of an account need at its cloud. Written only by the scaling-infrastructure actor. */
export class ScalingInfrastructure extends infrastructure.class {}
infrastructure.setClass(ScalingInfrastructure)
