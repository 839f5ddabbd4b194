/** Anomalies of cost: the list, and what a day's trend says of its own. */
import { anomalyPage, anomalySorts, anomalyStories, anyOfThem, everyAnomaly } from '#analytics/anomaly/questions.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull, Timestamp } from '#http/edge/parameter/field.ts'
import { askPage, list, toPage, pageOf, paging, repeatedParam } from '#http/edge/parameter/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { rangeOf } from '#http/edge/parameter/range.ts'
import { allowedByBoth, narrowing, narrowingOf, valuesAsked, type Narrowing } from '#http/report/filter/filter.ts'
import type { Route } from '#http/edge/route.ts'
import { report } from '#http/report/report.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { Services } from '#http/edge/services.ts'
import {
  anomalyTypes,
  reviewStates,
  shownResource,
  shownSeverities,
  TopResource,
  type AnomalyType,
} from '#streams/anomaly.ts'
import { cents, percent, plainOf, units } from '#streams/figure.ts'
import { isFiltered } from '#http/report/filter/dimension.ts'

const Review = t.Object({
  state: t.Enum(reviewStates, {
    description: 'acknowledged: under investigation; expected: expected until `until`',
  }),
  by: t.String({ description: 'ID of the reviewer, in person or by token; empty for a machine token' }),
  at: Timestamp,
  until: t.Optional(t.String({ description: 'YYYY-MM-DD, the last day on which it is expected' })),
  note: t.Optional(t.String()),
})

export const anomalyFields = {
  id: t.String(),
  orgId: t.String(),
  date: t.String({ description: 'YYYY-MM-DD' }),
  anomalyType: t.Enum(anomalyTypes),
  anomalyKey: t.String({ description: 'ID of the organization, account, group, resource (its UID) or team' }),
  label: t.String({ description: 'its name when the anomaly was found; its key if the name is not known' }),
  cloudAccountID: t.Optional(t.String({ description: 'the account of a resource, or the account itself' })),
  teamID: t.Optional(
    t.String({ description: 'the team itself, or the team of a resource at that time; a team, or unassigned' }),
  ),
  severity: t.Enum(shownSeverities, { description: 'info: suppressed' }),
  method: t.String({ description: 'percent, or zscore if that raised the severity' }),
  actualCostUsd: t.Number(),
  expectedCostUsd: t.Number({ description: 'mean of the previous seven days that have costs' }),
  excessUsd: t.Number({
    description:
      'actual minus expected, rounded once: may differ by a cent from the difference of the two rounded amounts',
  }),
  deviationPercent: t.Number(),
  rootCause: t.String(),
  suppressed: t.Boolean({ description: 'mostly explained by new resources' }),
  recurring: t.Boolean({
    description:
      'similar anomalies recur weekly or monthly, or occurred recently: no notification unless the organization enables it',
  }),
  recurrence: t.Optional(
    t.String({
      description:
        'for recurring anomalies, when: every Friday, on the 1st of each month; to be shown after “expected”',
    }),
  ),
  notified: t.Boolean({ description: 'a receiver has accepted a message about it' }),
  notifiedAt: orNull(Timestamp),
  createdAt: Timestamp,
  review: t.Optional(Review),
}

export const anomalyExample = {
  id: '5c0f0a4e-7c1b-8a55-9d0c-2f6e3f1f9a10',
  orgId: 'o1',
  date: '2026-01-15',
  anomalyType: 'resource',
  anomalyKey: 'i-1',
  label: 'web-1',
  cloudAccountID: 'acct-1',
  teamID: 'unassigned',
  severity: 'critical',
  method: 'percent',
  actualCostUsd: 160,
  expectedCostUsd: 70,
  excessUsd: 90,
  deviationPercent: 128.57,
  rootCause:
    'Usage spike: web-1 (i-1) was used 24 h, up from 10.5 h a day, which explains 90.00 of the 90.00 US dollars above the baseline (100%).',
  suppressed: false,
  recurring: false,
  notified: false,
  notifiedAt: null,
  createdAt: '2026-01-16T04:30:02.000Z',
} as const

export const AnomalyRecord = t.Object(
  {
    ...anomalyFields,
    storyKey: t.Optional(t.String({ description: 'with fold=story: what its rows have in common' })),
    folded: t.Optional(
      t.Array(t.String(), {
        description: 'with fold=story: IDs of the other rows of the story, in order; absent if there are none',
      }),
    ),
  },
  {
    title: 'AnomalyRecord',
    examples: [
      {
        ...anomalyExample,
        storyKey: '2026-01-15/resource/i-1',
        folded: ['6b1d6f62-2d4c-8f0e-8f5e-0a4d7c1b2e33', '0f3f5b7c-91ce-8c63-a1d1-7f5a8e2b4c55'],
      },
    ],
  },
)
export type AnomalyRecord = Static<typeof AnomalyRecord>

/** What a trend says of the anomaly of its day. */
export const TrendAnomaly = t.Object({
  id: anomalyFields.id,
  severity: t.Enum(shownSeverities),
  actualCostUsd: t.Number(),
  expectedCostUsd: t.Number(),
  excessUsd: anomalyFields.excessUsd,
  deviationPercent: t.Number(),
  topResources: t.Array(TopResource),
  rootCause: t.String(),
})
type TrendAnomaly = Static<typeof TrendAnomaly>

const Query = t.Object({
  from: t.String({ description: 'first day, YYYY-MM-DD' }),
  to: t.String({ description: 'last day, inclusive, YYYY-MM-DD' }),
  type: t.Optional(list(t.Enum(anomalyTypes))),
  severity: t.Optional(list(t.Enum(shownSeverities))),
  include_suppressed: t.Boolean({ default: true }),
  include_recurring: t.Boolean({ default: true }),
  review: t.Optional(list(t.Enum([...reviewStates, 'none'], { description: 'none: not reviewed' }))),
  cloud_account_id: narrowing.cloud_account_id,
  team_id: narrowing.team_id,
  resource_uid: t.Optional(
    repeatedParam(t.String({ minLength: 1, maxLength: 1024 }), {
      maxItems: 50,
      description: 'only anomalies found in these resources themselves; not with fold=story',
    }),
  ),
  min_usd: t.Number({
    default: 0,
    minimum: 0,
    maximum: 1e12,
    description: 'minimum US dollars above the baseline, compared before rounding',
  }),
  sort_by: t.Enum(anomalySorts, { default: 'date', description: 'excess: US dollars above the baseline' }),
  sort_order: t.Enum(['asc', 'desc'], { default: 'desc' }),
  fold: t.Optional(
    t.Enum(['story'], {
      description: 'story: rows of the same day with the same cause are grouped under the narrowest one',
    }),
  ),
  ...paging(20, 100),
})
type Query = Static<typeof Query>

export type AnomalyRow = Static<(typeof anomalyPage)['row']>

export const show = (row: AnomalyRow): AnomalyRecord => ({
  id: row.id,
  orgId: row.org_id,
  date: row.day,
  anomalyType: row.anomaly_type,
  anomalyKey: row.anomaly_key,
  label: row.called,
  ...(row.account !== '' && { cloudAccountID: row.account }),
  ...(row.team !== '' && { teamID: row.team }),
  severity: row.severity,
  method: row.method,
  actualCostUsd: cents(row.actual_usd),
  expectedCostUsd: cents(row.expected_usd),
  excessUsd: cents(row.excess_usd),
  deviationPercent: percent(row.deviation_percent),
  rootCause: row.root_cause,
  suppressed: row.is_suppressed === 1,
  recurring: row.recurrence !== '',
  ...(row.recurrence !== '' && { recurrence: row.recurrence }),
  notified: row.is_notified === 1,
  notifiedAt: row.notified_on === '' ? null : new Date(row.notified_on).toISOString(),
  createdAt: new Date(row.created_on).toISOString(),
  ...(row.review_state !== '' && { review: shownReview(row) }),
})

const shownReview = (row: AnomalyRow): Static<typeof Review> => ({
  state: row.review_state as Static<typeof Review>['state'],
  by: row.reviewed_by,
  at: new Date(row.reviewed_on).toISOString(),
  ...(row.review_until_day !== '' && { until: row.review_until_day }),
  ...(row.review_note !== '' && { note: row.review_note }),
})

/** Callers who may see only some accounts or teams see the anomalies of those and of their resources. */
export const scopeOf = (caller: Caller) => {
  const { scoped, scope_accounts, scope_teams } = narrowingOf(caller, {})
  return { scoped, scope_accounts, scope_teams }
}

/** What is asked for, within what the caller may see; without the page of it. */
const choiceOf = (caller: Caller, query: Query, now: Date) => {
  const { fromDay, toDay } = rangeOf(query, now)
  return {
    from: fromDay,
    to: toDay,
    types: query.resource_uid ? allowedByBoth(['resource'], query.type ?? []) : (query.type ?? []),
    severities: query.severity ?? [],
    reviews: query.review ?? [],
    accounts: valuesAsked(query.cloud_account_id),
    teams: valuesAsked(query.team_id),
    suppressed: Number(query.include_suppressed),
    recurring: Number(query.include_recurring),
    min_usd: plainOf(units(query.min_usd)),
    sort_by: query.sort_by,
    asc: Number(query.sort_order === 'asc'),
    ...scopeOf(caller),
  }
}
type Choice = ReturnType<typeof choiceOf>

async function listAnomalies(choice: Choice, query: Query, { analytics }: Pick<Services, 'analytics'>) {
  const { rows, total } = await askPage(query, (cut) =>
    analytics(anomalyPage, { ...choice, ...anyOfThem, keys: query.resource_uid ?? [], ...cut }),
  )
  return { items: rows.map(show), total }
}

/** What is withdrawn between the two questions is left out. */
async function stories(choice: Choice, query: Query, { analytics }: Pick<Services, 'analytics'>) {
  const { rows, total } = await askPage(query, (cut) => analytics(anomalyStories, { ...choice, of: '', ...cut }))
  const { from, to, scoped, scope_accounts, scope_teams } = choice
  const ids = rows.map(({ id }) => id)
  const of = { ...everyAnomaly, ...anyOfThem, from, to, scoped, scope_accounts, scope_teams }
  const leading = ids.length === 0 ? [] : await analytics(anomalyPage, { ...of, ids, limit: ids.length })
  const records = new Map(leading.map((row) => [row.id, show(row)]))
  const items = rows.flatMap(({ id, story_key: storyKey, folded }) => {
    const record = records.get(id)
    return record ? [{ ...record, storyKey, ...(folded.length > 0 && { folded }) }] : []
  })
  return { items, total }
}

export const anomalyReports: readonly Route[] = [
  report({
    path: '/reports/anomalies',
    summary: 'List cost anomalies: days on which a dimension of cost was far above its baseline, newest first',
    description:
      'One runaway machine causes anomalies for the machine, its groups, its team, its account and the organization. ' +
      '`fold=story` groups these rows into one: rows of a day that are explained by the same resources for at least half of ' +
      'their excess (a resource is explained by itself; several whose reservation ended together count as one), rows of the ' +
      'same charge without a resource (on the 1st of a month, taxes and all other such charges count as one), and rows whose ' +
      'credits ended. Different causes on one day stay separate. Suppressed rows are only grouped with suppressed rows. If a ' +
      'single resource is the cause, the narrowest row leads (resource, group, team, account, organization), otherwise the ' +
      'widest: the amounts, the severity and the review of a story are those of its leading row, never a sum of overlapping ' +
      'rows. Grouping comes first, limited to what the caller may see, so a story does not depend on the filters; then ' +
      '`type`, `severity`, `review`, `include_recurring` and `min_usd` apply to the leading row, `cloud_account_id` and ' +
      '`team_id` to any row of the story. Pages and `total` count stories. A review belongs to one row: the review of a ' +
      'story is set on its leading row.',
    query: Query,
    reply: pageOf(AnomalyRecord),
    handle: async ({ caller, query }, services) => {
      if (query.fold === 'story' && query.resource_uid) {
        const message = 'cannot be combined with fold=story'
        throw badInput({ in: 'query', name: 'resource_uid', code: 'fold', message })
      }
      const choice = choiceOf(caller, query, services.now())
      const found = query.fold === 'story' ? stories(choice, query, services) : listAnomalies(choice, query, services)
      return toPage(await found, query)
    },
  }),
]

/** All days there are. */
const always = { from: '1970-01-01', to: '2100-12-31' }

/** The anomaly as it is stored, as far as the caller may see it. @throws Fault `missing` */
export async function anomalyRow(
  caller: Caller,
  id: string,
  { analytics }: Pick<Services, 'analytics'>,
): Promise<AnomalyRow> {
  const question = { ...always, ...everyAnomaly, ...anyOfThem, ids: [id], ...scopeOf(caller), limit: 1 }
  const [row] = await analytics(anomalyPage, question)
  if (!row) throw Fault.missing('anomaly', id)
  return row
}

/** As people see it. @throws as `anomalyRow` */
export const anomalySeen = async (...of: Parameters<typeof anomalyRow>): Promise<AnomalyRecord> =>
  show(await anomalyRow(...of))

/** What anomalies are found in. */
export interface AnomalyKey {
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
  series: readonly AnomalyKey[],
  range: { fromDay: string; toDay: string },
  { analytics }: Pick<Services, 'analytics'>,
): Promise<ReadonlyMap<string, AnomalyRecord>> {
  const found = new Map<string, AnomalyRecord>()
  if (series.length === 0) return found
  const rows = await analytics(anomalyPage, {
    from: range.fromDay,
    to: range.toDay,
    ...everyAnomaly,
    types: [...new Set(series.map(({ type }) => type))],
    keys: [...new Set(series.map(({ key }) => key))],
    ids: [],
    ...scopeOf(caller),
    limit: explainingMax,
  })
  for (const record of rows.map(show)) {
    const at = seriesOf({ type: record.anomalyType, key: record.anomalyKey })
    const other = found.get(at)
    if (!other || isWorse(record, other)) found.set(at, record)
  }
  return found
}

export const seriesOf = ({ type, key }: AnomalyKey): string => `${type} ${key}`

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
    ...everyAnomaly,
    types: [about.type],
    keys: [about.key],
    ids: [],
    ...scopeOf(caller),
    limit: 500,
  })
  return new Map(rows.map((row) => [row.day, toTrendAnomaly(row)]))
}

function dimensionOf(caller: Caller, query: Narrowing & { tag?: string[]; asOf?: string }) {
  const { cloud_account_id: accounts = [], team_id: teams = [], provider, region, resource_type: types } = query
  const isNarrower =
    [provider, region, types, query.tag].some((values) => (values ?? []).length > 0) || query.asOf || isFiltered(query)
  if (isNarrower || accounts.length + teams.length > 1) return undefined
  if (accounts[0] !== undefined) return { type: 'cloud_account' as const, key: accounts[0] }
  if (teams[0] !== undefined) return { type: 'team' as const, key: teams[0] }
  return { type: 'org' as const, key: caller.orgId }
}

/** The largest rise first. */
export const topResourcesOf = ({ top_resources }: Pick<AnomalyRow, 'top_resources'>): Static<typeof TopResource>[] =>
  (JSON.parse(top_resources) as Static<typeof TopResource>[]).map(shownResource)

const toTrendAnomaly = (row: AnomalyRow): TrendAnomaly => ({
  id: row.id,
  severity: row.severity,
  actualCostUsd: cents(row.actual_usd),
  expectedCostUsd: cents(row.expected_usd),
  excessUsd: cents(row.excess_usd),
  deviationPercent: percent(row.deviation_percent),
  topResources: topResourcesOf(row),
  rootCause: row.root_cause,
})
