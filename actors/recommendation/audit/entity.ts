import { defineEntity, p } from '@mikro-orm/core'
import { dayMs } from '#engine/value/day.ts'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { MetricCoverage, RecommendationStatus } from '#streams/recommendation.ts'
import type { Environment } from '#streams/tagging.ts'

/** What was discovered of the resource, as far as rules and records read it. */
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
  /** Whether a connector found it, which leaves nothing out, or a producer told of it. */
  fed: 'connector' | 'producer'
}

/** Of one that nothing has been discovered of. */
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

/** What was known of a finding for so long is not known any more. */
export const staleMs = 30 * dayMs

/** f: fires, c: does not, h: cannot tell. `since` is the turn that found it true first, of rules that must be true for days. */
export interface RuleOutcome {
  o: 'f' | 'c' | 'h'
  since?: string
  /** Since when it holds while a recommendation of it is open; absent of rules that nothing was told of or decided, and that count no days. */
  held?: string
}

/** When a value was seen first; exact where another one was seen before, else it may be older. */
export interface Since {
  at: string
  isExact: boolean
}

/** What was last told of a rule. */
interface ReportedFinding {
  n: number
  /** Empty once it was told that nothing is known of it any more. */
  fingerprint: string
  /** What it was told to save, US dollars for 30 days; absent of what was told before this was kept. */
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
    /** specs.* by path, those that rules of the type read. */
    specs: p.json<Record<string, unknown>>(),
    /** metric.*, bill.*, hist.*, rel.*, scale.* by path, as the newest sweep gathered them. */
    facts: p.json<Record<string, unknown>>(),
    measured: p.json<MetricCoverage>(),
    factsAt: p.datetime(3).nullable(),
    /** The sweep they are of. */
    runId: p.text(),
    orgSpendUsd: p.double().$type<number>().nullable(),
    /** The environment that people accepted; empty for none. */
    env: p.text().$type<Environment | ''>(),
    firstSeenAt: p.datetime(3),
    bornAt: p.datetime(3).nullable(),
    /** Since when specs that rules ask the age of have their value. */
    since: p.json<Record<string, Since>>(),
    outcomes: p.json<Record<string, RuleOutcome>>(),
    told: p.json<Record<string, ReportedFinding>>(),
    decided: p.json<Record<string, RecommendationStatus>>(),
    /** Numbers of the newest words of recommendations, by rule. */
    heard: p.json<Record<string, number>>(),
    /** Of the catalogue and the policies that the outcomes are by. */
    judgedBy: p.text(),
    n: p.integer(),
    /** Of the newest word that was heard, which is no echo: an older one changes nothing. And since when the resource is gone. */
    observedAt: p.datetime(3),
    deletedAt: p.datetime(3).nullable(),
  },
})

/** What is known of one resource that rules read, and what they found. Written only by the audit actor. */
export class ResourceAudit extends schema.class {}
schema.setClass(ResourceAudit)
