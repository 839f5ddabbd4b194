import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/tenant-policy.ts'
import type {
  Adoption,
  AutoscalerMode,
  AutoscalerStatus,
  AutoscalerTerms,
  Counts,
  InfrastructureStatus,
  Trigger,
} from '#streams/autoscaling.ts'
import type { PolicySaving } from './saving.ts'

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

/** A call that has not been answered. */
export interface InFlight {
  /** Names it: `<kind>/<n>`. */
  call: string
  kind: 'write' | 'schedule' | 'apply' | 'look' | 'raise' | 'restore' | 'reserve'
  from: { min: number; max: number }
  to: Counts | null
  need: number | null
  reason: string
  /** Who applied it; null for what the service did by itself. */
  appliedBy: string | null
  /** ISO 8601. */
  at: string
  /** Of a plan: which one. */
  plan?: { planId: string; revision: number }
}

/** The window of a readiness plan that has reserved the target. ISO 8601. */
export interface Reservation {
  planId: string
  revision: number
  from: string
  to: string
}

/** A readiness plan holds the target. */
export interface Hold {
  planId: string
  revision: number
  originals: Counts | null
}

const terms = {
  name: p.text(),
  mode: p.text().$type<AutoscalerMode>(),
  min: p.integer(),
  max: p.integer(),
  targetCpuPercent: p.double(),
  cooldownSeconds: p.integer(),
  triggers: p.json<Trigger[]>(),
  adoption: p.text().$type<Adoption>().nullable(),
  step: p.json<NonNullable<AutoscalerTerms['step']>>().nullable(),
  maxHourlyUsd: p.double().nullable(),
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
    recommendation: p.json<Proposal>().nullable(),
    current: p.json<Current>(),
    /** Whether the cloud, and not the policy, has told the bounds of `current`. */
    isTold: p.boolean(),
    /** CPU of the last five minutes, [milliseconds since 1970, percent], in order of time, at most 300. */
    points: p.json<[number, number][]>(),
    /** Of units the newest sample, milliseconds since 1970; older ones say nothing. */
    countedAt: p.double(),
    /** What the load needed when the target was changed last. */
    need: p.integer().nullable(),
    /** US dollars an hour of one unit. */
    unitUsd: p.double().nullable(),
    /** When the newest change was decided on. */
    lastWriteAt: p.datetime(3).nullable(),
    inFlight: p.json<InFlight>().nullable(),
    /** Changes that failed in a row. */
    failures: p.integer(),
    /** Whether policies that the target had of its own were replaced, where that is asked for. */
    isReplaced: p.boolean(),
    plans: p.json<Reservation[]>(),
    hold: p.json<Hold>().nullable(),
    /** What it saves, from its first change as autopilot on; null before. */
    saving: p.json<PolicySaving>().nullable(),
    /** Events told; names calls too. */
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

const removed = defineEntity({
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
export class RemovedAutoscalerPolicy extends removed.class {}
removed.setClass(RemovedAutoscalerPolicy)

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
