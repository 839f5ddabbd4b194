import { defineEntity, p } from '@mikro-orm/core'
import { dayMs } from '#engine/value/day.ts'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { MetricCoverage, RecommendationStatus } from '#streams/recommendation.ts'
import type { Environment } from '#streams/tagging.ts'

/** The discovered facts of a resource that rules and records read. */
export interface AuditedResource {
  name: string
  type: string
  provider: string
  region: string
  status: string
  instanceType: string
  sizeGb: number | null
  unitCount: number | null
  parentUid: string
  resourceGroup: string
  schedulable: boolean
  hourlyRateUsd: number | null
  tags: Record<string, string>
  /** Whether a connector found it, which is always complete, or a producer reported it. */
  fed: 'connector' | 'producer'
}

/** The value before anything was discovered. */
export const nothing = (): AuditedResource => ({
  name: '',
  type: '',
  provider: '',
  region: '',
  status: 'pending',
  instanceType: '',
  sizeGb: null,
  unitCount: null,
  parentUid: '',
  resourceGroup: '',
  schedulable: false,
  hourlyRateUsd: null,
  tags: {},
  fed: 'producer',
})

/** A finding that could not be evaluated for so many milliseconds is stale. */
export const staleMs = 30 * dayMs

/**
 * f: fires, c: does not, h: cannot tell. `since`: the turn that first found it true, for rules that must be true for
 * days.
 */
export interface RuleOutcome {
  o: 'f' | 'c' | 'h'
  since?: string
  /**
   * Since when it cannot be evaluated, while a recommendation is open; missing for rules that nothing was raised or
   * decided for and that count no days.
   */
  held?: string
}

/** When a value was first seen. `isExact`: another value was seen before; otherwise it may be older. */
export interface Since {
  at: string
  isExact: boolean
}

/** The last message about a rule's finding. */
interface ReportedFinding {
  n: number
  /** Empty once the finding was reported as stale. */
  fingerprint: string
  /** Reported savings, US dollars for 30 days; missing in rows from before this was stored. */
  usd?: number
}

const schema = defineEntity({
  name: 'ResourceAudit',
  tableName: 'resource_audit',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    uid: p.text().primary(),
    resource: p.json<AuditedResource>(),
    /** Specs that rules of the type read, by path. */
    specs: p.json<Record<string, unknown>>(),
    /** metric.*, bill.*, hist.*, rel.* and scale.* by path, as the newest sweep collected them. */
    facts: p.json<Record<string, unknown>>(),
    measured: p.json<MetricCoverage>(),
    factsAt: p.datetime(3).nullable(),
    /** The sweep that collected them. */
    runId: p.text(),
    orgSpendUsd: p.double().$type<number>().nullable(),
    /** The environment that people accepted; empty if none. */
    env: p.text().$type<Environment | ''>(),
    firstSeenAt: p.datetime(3),
    bornAt: p.datetime(3).nullable(),
    /** For specs whose age rules read: since when they have their value. */
    since: p.json<Record<string, Since>>(),
    outcomes: p.json<Record<string, RuleOutcome>>(),
    told: p.json<Record<string, ReportedFinding>>(),
    decided: p.json<Record<string, RecommendationStatus>>(),
    /** Number of the newest message of each recommendation, by rule. */
    heard: p.json<Record<string, number>>(),
    /** Version of the catalogue and policies that the outcomes are based on. */
    judgedBy: p.text(),
    n: p.integer(),
    /**
     * Time of the newest observation that was not an echo: older ones are ignored. Below: since when the resource is
     * deleted.
     */
    observedAt: p.datetime(3),
    deletedAt: p.datetime(3).nullable(),
  },
})

/** What rules read of one resource, and what they found. Written only by the audit actor. */
export class ResourceAudit extends schema.class {}
schema.setClass(ResourceAudit)
