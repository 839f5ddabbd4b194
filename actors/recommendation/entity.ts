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

/** A workflow that carries a recommendation out. */
export interface RecommendedJob {
  id: string
  /** Of its newest word. */
  n: number
  /** Kept until the next one begins: what it said before may come behind its end. */
  isOver: boolean
  /** Whether something of it has been called for. */
  isExecuting: boolean
  /** Whether people do it themselves. */
  isManual: boolean
}

/** Entries kept; beyond them the oldest `viewed` go first. */
export const historyMax = 100

const schema = defineEntity({
  name: 'Recommendation',
  tableName: 'recommendation',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    /** A UUID made of organization, account, resource and rule: a finding that comes back is the same row. */
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
    /** Both null where a record has no tokens of its title. */
    titleFrom: p.text().nullable(),
    titleTo: p.text().nullable(),
    description: p.text(),
    remediation: p.text(),
    consoleUrl: p.text(),
    actionType: p.enum(actionTypes).$type<ActionType>(),
    effect: p.enum(effects).$type<DisturbanceKind>(),
    destructive: p.boolean(),
    automation: p.text(),
    /** US dollars for 30 days; net of other findings of the resource, and what it would be alone. */
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
    /** The rule that is shown in its place; empty for none. */
    heldBackBy: p.text(),
    /** Applied, and the rule still fires 14 days later. */
    stillFires: p.boolean(),
    /** Whether the rule fires now, whatever people decided. */
    fires: p.boolean(),
    /** Nothing is known any more that the rule reads: it counts in no sum until facts return. */
    staleSince: p.datetime(3).nullable(),
    generatedAt: p.datetime(3),
    updatedAt: p.datetime(3),
    decidedAt: p.datetime(3).nullable(),
    decidedBy: p.text().default(''),
    snoozedUntil: p.datetime(3).nullable(),
    history: p.json<HistoryItem[]>(),
    /** Ids of the people who have opened it. */
    viewers: p.json<string[]>(),
    /** The workflow that is under way, and its newest word; null where none is. */
    job: p.json<RecommendedJob>().nullable(),
    /** The audit's newest word, and the number of its own. */
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

/** What a rule found of one resource, and what people decided. Written only by the recommendation actor. */
export class Recommendation extends schema.class {}
schema.setClass(Recommendation)
