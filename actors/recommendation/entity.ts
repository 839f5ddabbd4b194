/** The row of a recommendation, with its history and its workflow. */
import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import {
  actionTypes,
  categories,
  effects,
  recommendationStatuses,
  severities,
  type ActionType,
  type Category,
  type DisturbanceKind,
  type RecommendationStatus,
  type Severity,
} from '#streams/recommendation.ts'

export const historyEvents = ['generated', 'viewed', 'applied', 'dismissed', 'reopened', 'closed'] as const

/** One line of the audit timeline (decision G-68). */
export interface HistoryItem {
  id: string
  event: (typeof historyEvents)[number]
  /** The id of a person, or `system`. */
  actor: string
  actorType: 'user' | 'system'
  createdAt: string
  note?: string
}

/** A workflow that executes a recommendation. */
export interface RecommendedJob {
  id: string
  /** Number of its newest message. */
  n: number
  /** Kept until the next workflow starts: earlier messages may arrive after its end. */
  isOver: boolean
  /** Whether a call has been requested. */
  isExecuting: boolean
  /** Whether people make the change themselves. */
  isManual: boolean
}

/** Maximum entries; above it the oldest `viewed` are removed first. */
export const historyMax = 100

const schema = defineEntity({
  name: 'Recommendation',
  tableName: 'recommendation',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    /** A UUID derived from organization, account, resource and rule: a finding that returns has the same row. */
    id: p.text().primary(),
    resourceUid: p.text(),
    resourceName: p.text(),
    resourceType: p.text(),
    provider: p.text(),
    region: p.text(),
    resourceGroup: p.text(),
    ruleId: p.text(),
    category: p.enum(categories).$type<Category>(),
    status: p.enum(recommendationStatuses).$type<RecommendationStatus>(),
    severity: p.enum(severities).$type<Severity>(),
    /** 0 (info) to 4 (critical). */
    severityRank: p.integer(),
    title: p.text(),
    /** Both null for records without title tokens. */
    titleFrom: p.text().nullable(),
    titleTo: p.text().nullable(),
    description: p.text(),
    remediation: p.text(),
    consoleUrl: p.text(),
    actionType: p.enum(actionTypes).$type<ActionType>(),
    effect: p.enum(effects).$type<DisturbanceKind>(),
    destructive: p.boolean(),
    automation: p.text(),
    /** US dollars for 30 days; net of other findings of the resource, and on its own. */
    currentCostUsd: p.decimal().columnType('numeric(20,2)'),
    savingsUsd: p.decimal().columnType('numeric(20,2)'),
    grossSavingsUsd: p.decimal().columnType('numeric(20,2)'),
    confidence: p.double().$type<number>(),
    priority: p.integer(),
    evidence: p.json<Record<string, unknown>>(),
    specs: p.json<Record<string, string>>(),
    targetSpec: p.json<Record<string, unknown>>().nullable(),
    tierRates: p.json<Record<string, number>>().nullable(),
    resourceTags: p.json<Record<string, string>>(),
    /** The rule that is shown instead; empty for none. */
    heldBackBy: p.text(),
    /** It was applied, and the rule still matches 14 days later. */
    stillFires: p.boolean(),
    /** Whether the rule matches now, regardless of decisions. */
    fires: p.boolean(),
    /** Since when the facts that the rule reads are unknown: it is in no sum until they return. */
    staleSince: p.datetime(3).nullable(),
    generatedAt: p.datetime(3),
    updatedAt: p.datetime(3),
    decidedAt: p.datetime(3).nullable(),
    decidedBy: p.text().default(''),
    snoozedUntil: p.datetime(3).nullable(),
    history: p.json<HistoryItem[]>(),
    /** Ids of the people who have opened it. */
    viewers: p.json<string[]>(),
    /** The workflow in progress, with its newest message; null if there is none. */
    job: p.json<RecommendedJob>().nullable(),
    /** Numbers of the audit's newest message, and of its own. */
    foundN: p.integer(),
    settledN: p.integer(),
  },
  indexes: [
    { properties: ['orgId', 'status', 'savingsUsd', 'id'] },
    { properties: ['orgId', 'status', 'severityRank', 'id'] },
    { properties: ['orgId', 'resourceUid'] },
    { properties: ['orgId', 'ruleId', 'status'] },
    { properties: ['id'] },
  ],
})

/** The finding of a rule about one resource, with people's decisions. Written only by the recommendation actor. */
export class Recommendation extends schema.class {}
schema.setClass(Recommendation)
