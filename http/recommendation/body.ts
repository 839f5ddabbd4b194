/** A recommendation in responses, and the filters of lists. */
import type { RecommendationFilter, RecommendationRow } from '#actors/recommendation/row.ts'
import { sorts } from '#actors/recommendation/row.ts'
import { historyEvents } from '#actors/recommendation/entity.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { ProviderName, ProviderParameter, Timestamp } from '#http/edge/parameter/field.ts'
import { list, repeatedParam } from '#http/edge/parameter/paging.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { scopeOf } from '#http/report/filter/filter.ts'
import { twiceNamed } from '#http/tagging/sight.ts'
import { cents, units } from '#streams/figure.ts'
import { actionTypes, categories, recommendationStatuses, severities } from '#streams/recommendation.ts'

/** Most severe first. */
export const severitiesShown = severities.toReversed()

export const record = {
  id: t.String(),
  resourceUid: t.String(),
  resourceName: t.String(),
  resourceType: t.String(),
  ruleId: t.String({ description: 'RC-<number>, or RC-ASC-001 to RC-ASC-006' }),
  title: t.String({ description: 'a full sentence, ready for display' }),
  titleParams: t.Optional(
    t.Object(
      { from: t.String(), to: t.String() },
      {
        description:
          'parameters of the title, each empty if there is none; absent on recommendations created without them',
      },
    ),
  ),
  description: t.String(),
  remediation: t.String(),
  currentCostUsd: t.Number({ description: 'US dollars for 30 days, rounded to the cent, like the other amounts' }),
  optimizedCostUsd: t.Number({ description: 'currentCostUsd minus savingsUsd' }),
  savingsUsd: t.Number({
    description: 'net of the savings of other recommendations for the resource, so that plain sums are correct',
  }),
  grossSavingsUsd: t.Number({ description: 'what it would save by itself' }),
  confidence: t.Number({ description: '0.5, 0.75 or 1, by the number of days with measurements' }),
  priority: t.Integer({ description: '0 to 100: higher first' }),
  status: t.Enum(recommendationStatuses),
  severity: t.Enum(severitiesShown),
  category: t.Enum(categories),
  consoleUrl: t.String({ description: 'of the cloud account; empty if not known' }),
  provider: ProviderName,
  cloudAccountId: t.String(),
  cloudAccountName: t.String(),
  actionType: t.Enum(actionTypes),
  evidence: t.Record(t.String(), t.Unknown(), {
    description:
      'measurements such as metric, windowDays and p95; prices: the list prices of the saving, each with its source and date',
  }),
  heldBackBy: t.Optional(t.String({ description: 'the rule that is shown instead while both are open' })),
  snoozedUntil: t.Optional(
    t.String({ format: 'date-time', description: 'for a dismissed one, when it is reopened if it still applies' }),
  ),
  stillFires: t.Optional(t.Literal(true, { description: 'applied at least 14 days ago, but still applies' })),
  staleSince: t.Optional(
    t.String({ format: 'date-time', description: 'no current data: it is not included in any total' }),
  ),
  generatedAt: Timestamp,
  updatedAt: Timestamp,
}

export const recommendationShown = {
  id: '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01',
  resourceUid: 'i-0a1b2c3d4e5f60718',
  resourceName: 'shop-prod-web-1',
  resourceType: 'aws-ec2',
  provider: 'aws',
  cloudAccountId: 'acct-1',
  cloudAccountName: 'Production',
  ruleId: 'RC-1001',
  title: 'Stop EC2 instance shop-prod-web-1.',
  description: 'Its CPU has been idle for two weeks.',
  remediation: 'Stop the instance, or delete it with its disks.',
  currentCostUsd: 69.12,
  optimizedCostUsd: 0,
  savingsUsd: 69.12,
  grossSavingsUsd: 69.12,
  confidence: 1,
  priority: 80,
  status: 'open',
  severity: 'high',
  category: 'idle',
  consoleUrl: '',
  actionType: 'stop',
  evidence: { cpu_percent_p95: 2.1 },
  generatedAt: '2026-01-15T10:00:00.000Z',
  updatedAt: '2026-01-15T10:00:00.000Z',
}

export const Recommendation = t.Object(record, { title: 'Recommendation', examples: [recommendationShown] })
export type Recommendation = Static<typeof Recommendation>

const iso = (at: string): string => new Date(at).toISOString()

export const show = (row: RecommendationRow): Recommendation => ({
  id: row.id,
  resourceUid: row.resource_uid,
  resourceName: row.resource_name,
  resourceType: row.resource_type,
  ruleId: row.rule_id,
  title: row.title,
  ...titleParams(row),
  description: row.description,
  remediation: row.remediation,
  currentCostUsd: cents(row.current_cost_usd),
  optimizedCostUsd: cents(units(row.current_cost_usd) - units(row.savings_usd)),
  savingsUsd: cents(row.savings_usd),
  grossSavingsUsd: cents(row.gross_savings_usd),
  confidence: row.confidence,
  priority: row.priority,
  status: row.status,
  severity: row.severity,
  category: row.category,
  consoleUrl: row.console_url,
  provider: row.provider,
  cloudAccountId: row.cloud_account_id,
  cloudAccountName: row.account_name,
  actionType: row.action_type,
  evidence: row.evidence,
  ...(row.held_back_by && { heldBackBy: row.held_back_by }),
  ...(row.snoozed_until && { snoozedUntil: iso(row.snoozed_until) }),
  ...(row.still_fires && { stillFires: true as const }),
  ...(row.stale_since && { staleSince: iso(row.stale_since) }),
  generatedAt: iso(row.generated_at),
  updatedAt: iso(row.updated_at),
})

function titleParams({ title_from: from, title_to: to }: RecommendationRow) {
  if (from === null && to === null) return {}
  return { titleParams: { from: from ?? '', to: to ?? '' } }
}

/** What the caller may see: our own services see the whole organization they name. */
export const sightOf = (caller: Caller) => (caller.kind === 'internal' ? {} : scopeOf(caller))

const short = { maxLength: 1024 }
const many = { maxItems: 1000 }

/** Filters of sums. */
export const sumFilters = {
  team_id: t.Optional(list(t.String({ ...short, description: 'a team, or unassigned' }), many)),
  group_id: t.Optional(list(t.String({ ...short, description: 'resource group ID' }), many)),
  region: t.Optional(list(t.String(short), many)),
  min_savings: t.Optional(
    t.Number({ minimum: 0, maximum: 1e12, description: 'minimum savings in US dollars for 30 days' }),
  ),
}

const filters = {
  status: t.Optional(list(t.Enum(recommendationStatuses))),
  severity: t.Optional(list(t.Enum(severitiesShown))),
  category: t.Optional(list(t.Enum(categories))),
  provider: t.Optional(list(ProviderParameter)),
  resource_type: t.Optional(list(t.String({ ...short, alias: true }), many)),
  cloud_account_id: t.Optional(list(t.String(short), many)),
  resource_uid: t.Optional(repeatedParam(t.String({ maxLength: 2048 }), many)),
  rule_id: t.Optional(list(t.String(short), many)),
  ...sumFilters,
  search: t.Optional(
    t.String({ maxLength: 2048, description: 'part of the resource name or the title, case-insensitive' }),
  ),
}
const Filters = t.Object(filters)

/** The requested filters, in the form for rows. */
export const filterOf = (q: Partial<Static<typeof Filters>>): RecommendationFilter => ({
  statuses: q.status,
  severities: q.severity,
  categories: q.category,
  providers: q.provider,
  resourceTypes: q.resource_type,
  cloudAccountIds: q.cloud_account_id,
  resourceUids: q.resource_uid,
  ruleIds: q.rule_id,
  regions: q.region,
  teamIds: q.team_id,
  groupIds: q.group_id,
  minSavings: q.min_savings,
  search: q.search,
})

export const sizeDefault = 10
export const sizeMax = 100

/** The query of each of the three lists. */
export const listQuery = t.Object({
  ...filters,
  sort_by: t.Enum(sorts, { default: 'savings_usd' }),
  sort_order: t.Enum(['asc', 'desc'], { default: 'desc' }),
  ...twiceNamed(sizeDefault, sizeMax),
})

/** The history of a recommendation (decision G-68). */
export const HistoryItem = t.Object(
  {
    id: t.String(),
    event: t.Enum(historyEvents),
    actor: t.String({ description: 'user ID, pat:<id> for a machine token, or system' }),
    actorType: t.Enum(['user', 'system']),
    createdAt: Timestamp,
    note: t.Optional(t.String()),
  },
  {
    title: 'RecommendationEvent',
    examples: [
      {
        id: '2d0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
        event: 'dismissed',
        actor: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
        actorType: 'user',
        createdAt: '2026-01-15T10:00:00.000Z',
        note: 'It is needed in February.',
      },
    ],
  },
)

export const one = t.Object({ recID: t.String({ description: 'as in GET /recommendations' }) })
