/** Every question that a report asks, as its route is called, as it is asked of the rollup, of raw facts and of PostgreSQL. */
import { clickhouseTime } from '#analytics/store/time.ts'
import { allCharges } from '#analytics/cost/charge.ts'
import {
  costByColumn,
  costByPeriod,
  costByProvider,
  costByResource,
  costEstimates,
  costFlow,
  costFlowResources,
  costResourceDayDetails,
  costResourceDays,
  costResources,
  costSeries,
  costTotal,
  estimatedDays,
} from '#analytics/cost/questions.ts'
import { costDrivers } from '#analytics/driver/questions.ts'
import { costByTeam, costByTeamPeriod } from '#analytics/attribution/questions.ts'
import { anomalyCandidates } from '#analytics/anomaly/questions.ts'
import { metricByResource, metricSummary } from '#analytics/metric/questions.ts'
import type { Query } from '#analytics/store/query.ts'
import { resourceNames } from '#analytics/resource/questions.ts'
import { everything, noLabels } from '#analytics/store/slice.ts'
import { tagKeys, tagPairs, tagTotals, tagValues } from '#analytics/tagging/questions.ts'
import { days, uidOf } from './bill.ts'

export interface Question {
  title: string
  /** The route that asks it; left out for the second look-up of a page. */
  path?: string
  query: Query
  /** Without the organization. */
  params: Readonly<Record<string, unknown>>
  /** The same of `cost_lines`; its parameters are org, from, to. */
  raw?: string
  /** The same of the plain table: $1 organization, $2 and $3 days. */
  postgres?: string
}

const month = { from: '2025-12-01', to: '2025-12-31' }
const year = { from: days.from, to: days.to }
const rolling = { from: '2026-01-02', to: '2026-01-31' }
const asked = { cost: 'billed_cost', as_of: '', saved: 'saved', ...everything, tag_keys: [], tag_values: [] }
const nothing = { d1: 'nothing', d2: 'nothing', d3: 'nothing', d4: 'nothing', d5: 'nothing', d6: 'nothing' }
const three = { ...nothing, d1: 'provider', d2: 'region', d3: 'service_name' }
const page = { asc: 0, limit: 20, offset: 0 }
const at = ({ from, to }: { from: string; to: string }) => `from=${from}&to=${to}`
/** Of the first account, and charged on the fifth of December. */
const uids = Array.from({ length: 20 }, (_, i) => uidOf(42_592 + 8 * i))

const where = 'x_OrgId = {org:String} AND x_Day BETWEEN {from:Date32} AND {to:Date32}'
const raw = (by: string) =>
  `SELECT ${by} AS k, sum(BilledCost) AS c FROM cost_lines WHERE ${where} GROUP BY k ORDER BY k`
const top = (by: string, filter = '') =>
  `SELECT ${by} AS k, sum(BilledCost) AS c, count() OVER () AS n FROM cost_lines WHERE ${where}${filter} GROUP BY k ORDER BY c DESC, k LIMIT 20`
const plainWhere = 'org_id = $1 AND day BETWEEN $2 AND $3'
const plain = (by: string) => `SELECT ${by}, sum(billed) AS c FROM bench_cost WHERE ${plainWhere} GROUP BY ${by}`
const plainTop = (by: string, filter = '') =>
  `${plain(by).replace(' GROUP', `${filter} GROUP`)} ORDER BY c DESC LIMIT 20`

const q = (query: unknown) => query as Query

/** A question over a month and the same over all 13. */
const both = (one: (range: { from: string; to: string }, words: string) => Question): Question[] => [
  one(month, 'a month'),
  one(year, '13 months'),
]

export const questions: readonly Question[] = [
  {
    title: 'summary, a month',
    path: '/reports/summary?period=2025-12',
    query: q(costTotal),
    params: { ...asked, ...month },
    raw: raw('1'),
    postgres: `SELECT sum(billed) FROM bench_cost WHERE ${plainWhere}`,
  },
  ...both((range, words) => ({
    title: `cost by provider, ${words}`,
    path: `/reports/providers/summary?${at(range)}`,
    query: q(costByProvider),
    params: { ...asked, ...range },
    raw: raw('x_Provider'),
    postgres: plain('provider'),
  })),
  {
    title: 'trend by day, 30 days',
    path: `/reports/trends?${at(rolling)}`,
    query: q(costByPeriod),
    params: { ...asked, ...rolling, granularity: 'daily' },
    raw: raw('x_Day'),
    postgres: plain('day'),
  },
  ...(['weekly', 'monthly'] as const).map((granularity) => ({
    title: `history ${granularity}, 13 months`,
    path: `/reports/cost-history?${at(year)}&granularity=${granularity}`,
    query: q(costByPeriod),
    params: { ...asked, ...year, granularity },
    raw: raw(granularity === 'weekly' ? 'toMonday(x_Day)' : 'toStartOfMonth(x_Day)'),
    postgres: plain(`date_trunc('${granularity === 'weekly' ? 'week' : 'month'}', day)`),
  })),
  ...both((range, words) => ({
    title: `flow of three dimensions, ${words}`,
    path: `/reports/costs/breakdown?group_by=provider,region,service_name&${at(range)}`,
    query: q(costFlow),
    params: { ...asked, ...range, ...allCharges, ...noLabels, ...three },
    raw: raw('tuple(x_Provider, RegionId, ServiceName)'),
    postgres: plain('provider, region, service'),
  })),
  ...both((range, words) => ({
    title: `series of twelve services by day, ${words}`,
    path: `/reports/costs/series?group_by=service_name&${at(range)}`,
    query: q(costSeries),
    params: {
      ...asked,
      ...range,
      ...allCharges,
      ...noLabels,
      uids: [],
      d1: 'service_name',
      d2: 'nothing',
      d3: 'nothing',
      granularity: 'daily',
      keys: [],
      top: 12,
    },
    raw: raw('tuple(x_Day, ServiceName)'),
    postgres: plain('day, service'),
  })),
  {
    title: 'flow of three dimensions, 13 months, filtered',
    path: `/reports/costs/breakdown?group_by=provider,region,service_name&${at(year)}&filter[provider]=gcp`,
    query: q(costFlow),
    params: { ...asked, ...year, providers: ['gcp'], ...allCharges, ...noLabels, ...three },
    raw: raw('tuple(x_Provider, RegionId, ServiceName)').replace('GROUP', "AND x_Provider = 'gcp' GROUP"),
    postgres: plain('provider, region, service').replace('GROUP', "AND provider = 'gcp' GROUP"),
  },
  ...both((range, words) => ({
    title: `flow down to resources, one service, ${words}`,
    path: `/reports/costs/breakdown?group_by=provider,resource_uid&filter[service_name]=service-3&${at(range)}`,
    query: q(costFlowResources),
    params: {
      ...asked,
      ...range,
      ...allCharges,
      ...noLabels,
      services: ['service-3'],
      uids: [],
      ...nothing,
      d1: 'provider',
      d6: 'resource_uid',
      top: 200,
    },
    raw: top('tuple(x_Provider, ResourceId)', " AND ServiceName = 'service-3'"),
    postgres: plainTop('provider, resource', " AND service = 'service-3'"),
  })),
  ...both((range, words) => ({
    title: `page of resource-days, ${words}`,
    path: `/reports/costs/resources?${at(range)}`,
    query: q(costResourceDays),
    params: { ...asked, ...range, sort: 'cost_usd', ...page },
    raw: top('tuple(x_Day, x_CloudAccountId, ResourceId)'),
    postgres: plainTop('day, account, resource'),
  })),
  {
    title: 'details of a page of resource-days',
    query: q(costResourceDayDetails),
    params: {
      days: ['2025-12-05'],
      accounts: ['acct-0'],
      uids,
    },
  },
  ...both((range, words) => ({
    title: `dearest resources, ${words}`,
    path: `/reports/costs/resources?group_by=resource&${at(range)}`,
    query: q(costByResource),
    params: { ...asked, ...allCharges, ...noLabels, uids: [], ...range, sort: 'cost_usd', ...page },
    raw: top('ResourceId'),
    postgres: plainTop('resource'),
  })),
  {
    title: 'resources by name, a month',
    path: `/reports/costs/resources?group_by=resource&sort_by=name&sort_order=asc&${at(month)}`,
    query: q(costByResource),
    params: { ...asked, ...allCharges, ...noLabels, uids: [], ...month, sort: 'name', ...page, asc: 1 },
  },
  {
    title: 'names of a page of resources',
    query: q(resourceNames),
    params: { uids },
  },
  ...both((range, words) => ({
    title: `cost and resources by type, ${words}`,
    path: `/reports/costs/resources?group_by=resource_type&${at(range)}`,
    query: q(costByColumn),
    params: { ...asked, ...range, column: 'resource_type' },
    raw: raw('ResourceType').replace('AS c', 'AS c, uniqExact(ResourceId) AS n'),
    postgres: plain('type').replace('AS c', 'AS c, count(DISTINCT resource) AS n'),
  })),
  {
    title: 'days with estimates, a month',
    query: q(estimatedDays),
    params: { ...month, as_of: '', accounts: [] },
  },
  {
    title: 'estimates of five days in a month',
    query: q(costEstimates),
    params: {
      ...asked,
      ...month,
      ...allCharges,
      ...noLabels,
      uids: [],
      first: '2025-12-27',
      last: month.to,
    },
  },
  {
    title: 'drivers, a month',
    path: `/reports/drivers?${at(month)}`,
    query: q(costDrivers),
    params: {
      ...asked,
      ...month,
      ...allCharges,
      uids: [],
      of_teams: 0,
      prev_from: '2025-11-01',
      prev_to: '2025-11-30',
      top: 10,
    },
    raw: `SELECT ResourceId AS k, sumIf(BilledCost, x_Day >= {from:Date32}) AS c, sumIf(ConsumedQuantity, x_Day >= {from:Date32}) AS n,
        sumIf(BilledCost, x_Day < {from:Date32}) AS d, sumIf(ConsumedQuantity, x_Day < {from:Date32}) AS m
      FROM cost_lines WHERE x_OrgId = {org:String} AND x_Day BETWEEN {from:Date32} - 30 AND {to:Date32}
      GROUP BY k, ServiceName, ConsumedUnit`,
  },
  {
    title: 'utilization of everything, 30 days',
    path: `/reports/metrics?${at(rolling)}`,
    query: q(metricSummary),
    params: { ...everything, since: '2026-01-02 00:00:00.000', until: '2026-02-01 00:00:00.000' },
  },
  {
    title: 'utilization of 50 resources, 30 days',
    path: `/reports/resources/metrics?${at(rolling)}`,
    query: q(metricByResource),
    params: { ...everything, since: '2026-01-02 00:00:00.000', until: '2026-02-01 00:00:00.000', uids: [], top: 50 },
  },
  ...both((range, words) => ({
    title: `teams, ${words}`,
    path: `/reports/teams?${at(range)}`,
    query: q(costByTeam),
    params: { ...asked, ...range },
    raw: raw("Tags['team']"),
    postgres: plain("tags ->> 'team'"),
  })),
  ...both((range, words) => ({
    title: `teams by month, ${words}`,
    path: `/reports/teams/trends?granularity=monthly&${at(range)}`,
    query: q(costByTeamPeriod),
    params: { ...asked, ...range, granularity: 'monthly' },
    raw: raw("tuple(Tags['team'], toStartOfMonth(x_Day))"),
  })),
  {
    title: 'resources of a team, a month',
    path: `/reports/teams/team-7/resources?${at(month)}`,
    query: q(costResources),
    params: { ...asked, ...month, teams: ['team-7'], limit: 20, offset: 0 },
    raw: top('ResourceId', " AND Tags['team'] = 'team-7'"),
    postgres: plainTop('resource', " AND tags ->> 'team' = 'team-7'"),
  },
  ...both((range, words) => ({
    title: `tag keys, ${words}`,
    path: `/reports/tags?${at(range)}`,
    query: q(tagKeys),
    params: { ...asked, ...range },
    raw: `SELECT arrayJoin(mapKeys(Tags)) AS k, uniqExact(ResourceId) AS n, sum(BilledCost) AS c FROM cost_lines WHERE ${where} GROUP BY k ORDER BY k`,
  })),
  {
    title: 'resources with and without tags, a month',
    query: q(tagTotals),
    params: { ...asked, ...month },
  },
  {
    title: 'tag pairs with the month before, a month',
    path: `/reports/tags?unit=pairs&${at(month)}`,
    query: q(tagPairs),
    params: { ...asked, ...month, prev_from: '2025-10-31', prev_to: '2025-11-30', limit: 20, offset: 0 },
    raw: `SELECT arrayJoin(Tags) AS k, uniqExact(ResourceId) AS n, sum(BilledCost) AS c FROM cost_lines WHERE ${where} GROUP BY k ORDER BY c DESC LIMIT 20`,
    postgres: `SELECT t.key, t.value, sum(billed) AS c FROM bench_cost, jsonb_each_text(tags) AS t WHERE ${plainWhere} GROUP BY 1, 2 ORDER BY c DESC LIMIT 20`,
  },
  {
    title: 'values of a tag, a month',
    path: `/reports/tags/team?${at(month)}`,
    query: q(tagValues),
    params: { ...asked, ...month, key: 'team' },
    raw: raw("Tags['team']"),
    postgres: plain("tags ->> 'team'"),
  },
  {
    title: 'trend of a tag, 30 days',
    path: `/reports/tags/trends?tag_key=env&tag_value=prod&${at(rolling)}`,
    query: q(costByPeriod),
    params: { ...asked, ...rolling, tag_keys: ['env'], tag_values: ['prod'], granularity: 'daily' },
    raw: raw('x_Day').replace('GROUP', "AND Tags['env'] = 'prod' GROUP"),
    postgres: plain('day').replace('GROUP', "AND tags ->> 'env' = 'prod' GROUP"),
  },
  {
    title: 'summary as it stood an hour ago, a month',
    query: q(costTotal),
    params: {
      ...asked,
      ...month,
      as_of: clickhouseTime(Date.now() - 3_600_000),
    },
  },
  {
    title: 'anomalies of a day, every dimension',
    query: q(anomalyCandidates),
    params: { ...asked, from: '2025-12-01', to: '2025-12-31', days_min: 4, usd_min: 1, percent: 30 },
  },
]
