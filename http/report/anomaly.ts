/** Anomalies of cost: the list, and what a day's trend says of its own. */
import { anomalyPage } from '#analytics/anomaly/questions.ts'
import { Fault } from '#engine/fault.ts'
import { t, type Static } from '#engine/schema.ts'
import { orNull, Timestamp } from '#http/edge/field.ts'
import { list, paged, pageOf, paging, slice } from '#http/edge/paging.ts'
import { rangeOf } from '#http/edge/range.ts'
import { narrowing, narrowingOf, valuesAsked, type Narrowing } from '#http/report/filter.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Caller } from '#http/identity/caller.ts'
import type { Services } from '#http/edge/services.ts'
import {
  anomalyTypes,
  reviewStates,
  shownResource,
  shownSeverities,
  TopResource,
  type AnomalyType,
} from '#streams/anomaly.ts'
import { cents, percent } from '#streams/figure.ts'

const Review = t.Object({
  state: t.Enum(reviewStates, {
    description: 'acknowledged: somebody looks at it; expected: no surprise until `until`',
  }),
  by: t.String({ description: 'id of who said so, in person or by a token; empty where the token is nobody’s' }),
  at: Timestamp,
  until: t.Optional(t.String({ description: 'YYYY-MM-DD, the last day on which it is expected' })),
  note: t.Optional(t.String()),
})

export const AnomalyRecord = t.Object(
  {
    id: t.String(),
    orgId: t.String(),
    date: t.String({ description: 'YYYY-MM-DD' }),
    anomalyType: t.Enum(anomalyTypes),
    anomalyKey: t.String({ description: 'the id of the organization, account, group, resource (its uid) or team' }),
    severity: t.Enum(shownSeverities, { description: 'info: suppressed' }),
    method: t.String({ description: 'percent, or zscore where that made it worse' }),
    actualCostUsd: t.Number(),
    expectedCostUsd: t.Number({ description: 'mean of the seven days before, as far as they have costs' }),
    deviationPercent: t.Number(),
    rootCause: t.String(),
    suppressed: t.Boolean({ description: 'new resources explain most of it' }),
    notified: t.Boolean({ description: 'a receiver has accepted a message that tells of it' }),
    notifiedAt: orNull(Timestamp),
    createdAt: Timestamp,
    review: t.Optional(Review),
  },
  { title: 'AnomalyRecord' },
)
export type AnomalyRecord = Static<typeof AnomalyRecord>

/** What a trend says of the anomaly of its day. */
export const TrendAnomaly = t.Object({
  severity: t.Enum(shownSeverities),
  actualCostUsd: t.Number(),
  expectedCostUsd: t.Number(),
  deviationPercent: t.Number(),
  topResources: t.Array(TopResource),
  rootCause: t.String(),
})
type TrendAnomaly = Static<typeof TrendAnomaly>

const Query = t.Object({
  from: t.String({ description: 'first day, YYYY-MM-DD' }),
  to: t.String({ description: 'last day, included, YYYY-MM-DD' }),
  type: t.Optional(list(t.Enum(anomalyTypes))),
  severity: t.Optional(list(t.Enum(shownSeverities))),
  include_suppressed: t.Boolean({ default: true }),
  review: t.Optional(list(t.Enum([...reviewStates, 'none'], { description: 'none: nobody has said anything of it' }))),
  cloud_account_id: narrowing.cloud_account_id,
  team_id: narrowing.team_id,
  ...paging(20, 100),
})

type Row = Static<(typeof anomalyPage)['row']>

const show = (row: Row): AnomalyRecord => ({
  id: row.id,
  orgId: row.org_id,
  date: row.day,
  anomalyType: row.anomaly_type,
  anomalyKey: row.anomaly_key,
  severity: row.severity,
  method: row.method,
  actualCostUsd: cents(row.actual_usd),
  expectedCostUsd: cents(row.expected_usd),
  deviationPercent: percent(row.deviation_percent),
  rootCause: row.root_cause,
  suppressed: row.is_suppressed === 1,
  notified: row.is_notified === 1,
  notifiedAt: row.notified_on === '' ? null : new Date(row.notified_on).toISOString(),
  createdAt: new Date(row.created_on).toISOString(),
  ...(row.review_state !== '' && { review: shownReview(row) }),
})

const shownReview = (row: Row): Static<typeof Review> => ({
  state: row.review_state as Static<typeof Review>['state'],
  by: row.reviewed_by,
  at: new Date(row.reviewed_on).toISOString(),
  ...(row.review_until_day !== '' && { until: row.review_until_day }),
  ...(row.review_note !== '' && { note: row.review_note }),
})

/** Callers who may see only some accounts or teams see the anomalies of those and of their resources. */
const scopeOf = (caller: Caller) => {
  const { scoped, scope_accounts, scope_teams } = narrowingOf(caller, {})
  return { scoped, scope_accounts, scope_teams }
}

export const anomalyReports: readonly Route[] = [
  route({
    method: 'GET',
    path: '/reports/anomalies',
    summary: 'Days on which a dimension of cost was far above its baseline, newest first',
    permission: 'service.view',
    tags: ['Reports'],
    query: Query,
    reply: pageOf(AnomalyRecord),
    handle: async ({ caller, query }, { analytics, now }) => {
      const { fromDay, toDay } = rangeOf(query, now())
      const question = {
        from: fromDay,
        to: toDay,
        types: query.type ?? [],
        severities: query.severity ?? [],
        keys: [],
        ids: [],
        reviews: query.review ?? [],
        accounts: valuesAsked(query.cloud_account_id),
        teams: valuesAsked(query.team_id),
        suppressed: Number(query.include_suppressed),
        ...scopeOf(caller),
      }
      const rows = await analytics(anomalyPage, { ...question, ...slice(query) })
      const counted =
        rows.length > 0 || query.page === 1 ? rows : await analytics(anomalyPage, { ...question, limit: 1, offset: 0 })
      return paged({ items: rows.map(show), total: counted[0]?.total ?? 0 }, query)
    },
  }),
]

/** All days there are. */
const always = { from: '1970-01-01', to: '2100-12-31' }

/** The anomaly, as far as the caller may see it. @throws Fault `missing` */
export async function anomalySeen(
  caller: Caller,
  id: string,
  { analytics }: Pick<Services, 'analytics'>,
): Promise<AnomalyRecord> {
  const all = { types: [], severities: [], keys: [], reviews: [], accounts: [], teams: [], suppressed: 1 }
  const question = { ...always, ...all, ids: [id], ...scopeOf(caller), limit: 1, offset: 0 }
  const [row] = await analytics(anomalyPage, question)
  if (!row) throw Fault.missing('anomaly', id)
  return show(row)
}

/** What anomalies are found in. */
export interface Series {
  type: AnomalyType
  key: string
}

/** Anomalies read to explain some values. */
const explainingMax = 1000

/**
 * Of each of these series, by `seriesOf`, the anomaly of the range that was furthest above its baseline: one that people expect only where
 * there is no other. As far as the caller may see them.
 */
export async function worstAnomalies(
  caller: Caller,
  series: readonly Series[],
  range: { fromDay: string; toDay: string },
  { analytics }: Pick<Services, 'analytics'>,
): Promise<ReadonlyMap<string, AnomalyRecord>> {
  const found = new Map<string, AnomalyRecord>()
  if (series.length === 0) return found
  const rows = await analytics(anomalyPage, {
    from: range.fromDay,
    to: range.toDay,
    types: [...new Set(series.map(({ type }) => type))],
    keys: [...new Set(series.map(({ key }) => key))],
    severities: [],
    ids: [],
    reviews: [],
    accounts: [],
    teams: [],
    suppressed: 1,
    ...scopeOf(caller),
    limit: explainingMax,
    offset: 0,
  })
  for (const record of rows.map(show)) {
    const at = seriesOf({ type: record.anomalyType, key: record.anomalyKey })
    const other = found.get(at)
    if (!other || isWorse(record, other)) found.set(at, record)
  }
  return found
}

export const seriesOf = ({ type, key }: Series): string => `${type} ${key}`

function isWorse(one: AnomalyRecord, other: AnomalyRecord): boolean {
  const [isExpected, isOther] = [one, other].map(({ review }) => review?.state === 'expected')
  if (isExpected !== isOther) return isOther === true
  const [above, of] = [one, other].map((record) => record.actualCostUsd - record.expectedCostUsd)
  return above! > of!
}

/** The anomalies that speak of exactly the costs a question is about, by day: of all, of one account, or of one team. */
export async function anomaliesByDay(
  caller: Caller,
  query: Narrowing & { tag?: string[]; asOf?: string },
  range: { fromDay: string; toDay: string },
  { analytics }: Pick<Services, 'analytics'>,
): Promise<ReadonlyMap<string, TrendAnomaly>> {
  const about = dimensionOf(caller, query)
  if (!about) return new Map()
  const rows = await analytics(anomalyPage, {
    from: range.fromDay,
    to: range.toDay,
    types: [about.type],
    severities: [],
    keys: [about.key],
    ids: [],
    reviews: [],
    accounts: [],
    teams: [],
    suppressed: 1,
    ...scopeOf(caller),
    limit: 500,
    offset: 0,
  })
  return new Map(rows.map((row) => [row.day, embedded(row)]))
}

function dimensionOf(caller: Caller, query: Narrowing & { tag?: string[]; asOf?: string }) {
  const { cloud_account_id: accounts = [], team_id: teams = [], provider, region, resource_type: types } = query
  const isNarrower = [provider, region, types, query.tag].some((values) => (values ?? []).length > 0) || query.asOf
  if (isNarrower || accounts.length + teams.length > 1) return undefined
  if (accounts[0] !== undefined) return { type: 'cloud_account' as const, key: accounts[0] }
  if (teams[0] !== undefined) return { type: 'team' as const, key: teams[0] }
  return { type: 'org' as const, key: caller.orgId }
}

const embedded = (row: Row): TrendAnomaly => ({
  severity: row.severity,
  actualCostUsd: cents(row.actual_usd),
  expectedCostUsd: cents(row.expected_usd),
  deviationPercent: percent(row.deviation_percent),
  topResources: (JSON.parse(row.top_resources) as TrendAnomaly['topResources']).map(shownResource),
  rootCause: row.root_cause,
})
