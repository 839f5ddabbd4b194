/**
 * Random filters over one organization of chance: every report is held against sums worked out here from the lines of bills
 * alone. The same seed gives the same organization and the same filters.
 */
import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { newestGeneration, sumMonths } from '#analytics/rollup/monthly-cost/cost-month.ts'
import { run, type Query } from '#analytics/store/query.ts'
import { plain, toUnits } from '#engine/value/decimal.ts'
import { edge, type RequestScope } from '#http/edge/edge.ts'
import { everything, type ReportScope } from '#http/identity/organization/role.ts'
import { reports } from '#http/report/index.ts'
import { serve } from '#http/edge/serve.ts'
import {
  askSavings,
  expectedSavings,
  savingKinds,
  savingsOf,
  settleSavings,
  type SavingKind,
} from '#test/http/report/random-savings.ts'
import { expected, matching, meant, type Sums } from '#test/http/report/random-sums.ts'
import { filterOf, organizationOf, settle, type Filter } from '#test/http/report/random-organization.ts'
import { caller } from '#test/http/serving.ts'
import { askUnread, payloadHeaders, remembering, reportServices } from '#test/http/report/world.ts'

export interface Outcome {
  /** Comparisons made. */
  checks: number
  /** `<filter>: <what>: <expected> but <said>`. */
  differences: string[]
  /** Filters that at least one line met: the others compare zeros. */
  met: number
}

/**
 * Compares `filters` random filters, each `step`th: the cost flow of each, the savings of every `savingsEvery`th, and `kindsEach` of the four kinds of reports, in
 * turn.
 * @throws Error on an answer other than 200
 */
export async function randomFilters(
  ch: ClickHouseClient,
  seed: string,
  filters: number,
  kindsEach = kinds.length,
  step = 1,
  savingsEvery = 1,
): Promise<Outcome> {
  const org = `org-${randomUUID()}`
  const made = organizationOf(seed)
  const saved = savingsOf(seed, made)
  await Promise.all([settle(ch, org, made), settleSavings(ch, org, saved)])
  // Of all months there are; nobody else adds up what was published within the hour.
  await sumMonths(ch, {
    now: new Date('2030-01-01'),
    generation: async () => String((await newestGeneration(ch)) + 1n),
    pauseMs: 0,
    alone: async () => {},
  })
  const site = await siteOf(ch, org)
  const outcome: Outcome = { checks: 0, differences: [], met: 0 }
  try {
    for (let n = 0; n < filters * step; n += step) {
      const filter = filterOf(seed, n)
      const lines = matching(made, filter)
      const sums = expected(lines, filter, meant(made, saved, filter))
      const which = Array.from({ length: kindsEach }, (_, i) => kinds[(n + i) % kinds.length]!)
      const reply = await ask(site, filter, which)
      if (lines.length > 0) outcome.met++
      const compared = [...comparisons(filter, sums, reply)]
      if (isOfLines(filter)) compared.push(['cost_lines', plain(sums.total, places), await sumOfLines(ch, org, filter)])
      if (n % savingsEvery === 0) {
        const kind = bases[n % bases.length]!
        const savings = await askSavings((path) => site.get(path), filter, kind)
        compared.push([`savings ${kind}`, expectedSavings(made, saved, filter, kind), savings])
      }
      for (const [what, wanted, said] of compared) {
        outcome.checks++
        const [a, b] = [JSON.stringify(wanted), JSON.stringify(said)]
        if (a !== b) outcome.differences.push(`${filter.query} ${JSON.stringify(filter.scope)}: ${what}: ${a} but ${b}`)
      }
    }
  } finally {
    await site.close()
  }
  return outcome
}

const places = 10
const bases = Object.keys(savingKinds) as SavingKind[]

interface Site {
  get(path: string): Promise<any>
  see(scope: ReportScope): void
  close(): Promise<void>
}

async function siteOf(ch: ClickHouseClient, org: string): Promise<Site> {
  let reportScope: ReportScope = everything
  // Whatever the range is: sums of a month count only where all of its days are asked for.
  const ofOrganization = (q: Query, params: object) => {
    const given = params as Record<string, unknown>
    const months = Number(q.isByMonth(given) && !q.factsFor(given).includes('invoice'))
    return run(ch, q, { ...params, org, months } as never)
  }
  // Nothing is written from here on, so that what several reports ask is asked once. Costs over time show estimates.
  const known = remembering((q, params) => ofOrganization(q as Query, params))
  const services: RequestScope['services'] = (_, { headers }) => {
    const analytics = askUnread(known.ask, headers)
    return reportServices(ch, org, { analytics, now: () => new Date('2026-02-10T12:00:00Z') }, [])
  }
  const scope = { caller: async () => ({ ...caller('viewer'), orgId: org, reportScope }), services }
  const serving = await serve(edge(reports, scope, { verifyReplies: true }), { port: 0, host: '127.0.0.1' })
  return {
    see: (given) => void (reportScope = given),
    close: () => serving.close(),
    async get(path) {
      const response = await fetch(serving.url + path, { headers: payloadHeaders(path) })
      const body = (await response.json()) as any
      if (response.status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`)
      return body.data
    },
  }
}

/** What the reports say of one filter. */
async function ask(site: Site, filter: Filter, which: readonly Kind[]) {
  site.see(filter.scope)
  const [flow, ...rest] = await Promise.all([
    site.get(`/reports/costs/breakdown?${filter.query}&dims=${filter.dims.join()}`),
    ...which.map((kind) => asking[kind](site, filter)),
  ])
  return { flow, ...(Object.assign({}, ...rest) as Partial<Record<string, any>>) }
}

/** The reports, by what they divide cost by. Each kind is asked and compared by itself. */
const asking = {
  async time(site: Site, { query, dims, granularity }: Filter) {
    const history = (by: string) => site.get(`/reports/cost-history?${query}&granularity=${by}`)
    const chart = site.get(
      `/reports/costs/series?${query}&dims=${dims.slice(0, 3).join()}&granularity=${granularity}&top=3`,
    )
    const asked = [site.get(`/reports/trends?${query}`), history('weekly'), history('monthly')]
    const [trends, weekly, monthly] = await Promise.all(asked)
    return { trends, weekly, monthly, chart: await chart }
  },
  async resource(site: Site, filter: Filter) {
    const { query, grain } = filter
    const providers = site.get(`/reports/providers/summary?${query}`)
    const receipt = await site.get(`/reports/receipt?${query}&limit=1`)
    const rows = await pages(site, `/reports/costs/resources?${query}${grain === '' ? '' : `&group_by=${grain}`}`)
    return { providers: await providers, receipt, rows, ofService: await ofService(site, filter) }
  },
  async team(site: Site, { query, granularity }: Filter) {
    const teams = site.get(`/reports/teams?${query}`)
    const teamTrends = await site.get(`/reports/teams/trends?${query}&granularity=${granularity}`)
    return { teams: await teams, teamTrends }
  },
  async tag(site: Site, { query, tagKey }: Filter) {
    const page = (how: string) => site.get(`/reports/tags?${how}${query}&limit=100`)
    const [tags, pairs, values, flow] = await Promise.all([
      page(''),
      page('unit=pairs&'),
      site.get(`/reports/tags/${tagKey}?${query}`),
      site.get(`/reports/costs/breakdown?${query}&dims=tag:${tagKey}`),
    ])
    const chart = await site.get(`/reports/costs/series?${query}&dims=tag:${tagKey}&granularity=monthly&top=10`)
    const untagged = await site.get(`/reports/receipt?${query}&untagged=true&limit=1`)
    const value = values.toSorted((a: any, b: any) => b.costUSD - a.costUSD)[0]?.tagValue as string | undefined
    const tag = value && {
      value,
      trends: await site.get(`/reports/tags/trends?${query}&tag_key=${tagKey}&tag_value=${value}`),
      resources: await pages(site, `/reports/tags/${tagKey}/values/${value}/resources?${query}`),
      receipt: await site.get(`/reports/receipt?${query}&filter[tag:${tagKey}]=${value}&limit=1`),
    }
    return { tags, pairs, values, byTag: { flow, chart, untagged, tag } }
  },
} as const
type Kind = keyof typeof asking
const kinds: readonly Kind[] = ['time', 'team', 'resource', 'tag']

/** What every report that can be narrowed to one service says of it. */
async function ofService(site: Site, { query, service, dims, granularity }: Filter) {
  const asked = `${query}&filter[service_name]=${service}`
  const [flow, chart, receipt, drivers, rows] = await Promise.all([
    site.get(`/reports/costs/breakdown?${asked}&dims=service_name`),
    site.get(`/reports/costs/series?${asked}&dims=${dims[0]}&granularity=${granularity}&top=1`),
    site.get(`/reports/receipt?${asked}&limit=1`),
    site.get(`/reports/drivers?${asked}&limit=1`),
    pages(site, `/reports/costs/resources?${asked}&group_by=resource`),
  ])
  return { flow, chart, receipt, drivers, rows }
}

async function pages(site: Site, path: string): Promise<any[]> {
  const rows: any[] = []
  for (let page = 1; ; page++) {
    const { items, hasMore } = await site.get(`${path}&limit=100&page=${page}`)
    rows.push(...items)
    if (!hasMore) return rows
  }
}

type Said = Partial<Record<string, any>>
type Compared = [what: string, wanted: unknown, said: unknown]

/** Amounts have at most 15 digits: a double holds each, and sums of them are made as integers. */
const units = (amount: number): bigint => toUnits(amount, places) ?? 0n
const sum = (items: readonly any[], field = 'costUSD'): bigint =>
  items.reduce((total, item) => total + units(item[field]), 0n)
const text = (amount: bigint): string => plain(amount, places)
const cents = (amount: bigint): number => Number(plain(toUnits(text(amount), 2) ?? 0n, 2))
const amounts = (of: ReadonlyMap<string, bigint>): string[] =>
  [...of].map(([key, amount]) => `${key} ${text(amount)}`).toSorted()
const said = (items: readonly any[], key: string, field = 'costUSD'): string[] =>
  items.map((item) => `${item[key]} ${text(units(item[field]))}`).toSorted()
const notZero = (lines: readonly string[]): string[] => lines.filter((line) => !line.endsWith(' 0'))

function* comparisons(filter: Filter, sums: Sums, reply: Said): Generator<Compared> {
  yield* flowComparisons(filter, sums, reply['flow'])
  if (reply['trends']) yield* timeComparisons(sums, reply)
  if (reply['chart']) yield* chartComparisons(filter, sums, reply)
  if (reply['rows']) yield* resourceComparisons(filter, sums, reply)
  if (reply['teams']) yield* teamComparisons(filter, sums, reply)
  if (reply['tags']) yield* tagComparisons(sums, reply)
  if (reply['byTag']) yield* oneTagComparisons(sums, reply['byTag'])
}

function* flowComparisons({ dims }: Filter, sums: Sums, { nodes, links, totalUSD }: any): Generator<Compared> {
  yield ['breakdown', amounts(sums.nodes), said(nodes, 'id', 'valueUSD')]
  yield ['total of the breakdown', cents(sums.total), totalUSD]
  const valueOf = new Map<string, number>(nodes.map((node: any) => [node.id, node.valueUSD]))
  const inner = nodes.filter((node: any) => node.dim !== dims.at(-1))
  const out = inner.map((node: any) =>
    sum(
      links.filter((link: any) => link.source === node.id),
      'valueUSD',
    ),
  )
  yield ['flow out', inner.map((node: any) => text(units(node.valueUSD))), out.map(text)]
  const wrong = links.filter((link: any) => valueOf.get(link.target) !== link.valueUSD || !valueOf.has(link.source))
  yield ['flow in', [], wrong]
  for (const dim of dims)
    yield [
      `level ${dim}`,
      text(sums.total),
      text(
        sum(
          nodes.filter((node: any) => node.dim === dim),
          'valueUSD',
        ),
      ),
    ]
}

function* timeComparisons(sums: Sums, { trends, weekly, monthly }: Said): Generator<Compared> {
  yield ['trends', text(sums.total), text(sum(trends.items))]
  yield ['weekly history', text(sums.total), text(sum(weekly.items))]
  yield ['monthly history', notZero(amounts(sums.months)), notZero(said(monthly.items, 'period'))]
}

/** The three dearest paths, all others together, and what they add up to in each period. */
function* chartComparisons(
  { dims }: Filter,
  sums: Sums,
  { chart, trends, weekly, monthly }: Said,
): Generator<Compared> {
  const { granularity, series, other, total } = chart
  const parts = [...series, ...(other ? [other] : [])]
  const level = dims.slice(0, 3)
  const paths = [...sums.nodes].filter(([path]) => path.split('|').length === level.length)
  const size = (amount: bigint) => (amount < 0n ? -amount : amount)
  const dearest = paths.map(([, amount]) => size(amount)).toSorted((a, b) => Number(b - a))
  const pathOf = (key: Record<string, string>) => level.map((dim) => key[dim]).join('|')
  yield [
    'series',
    series.map((one: any) => text(sums.nodes.get(pathOf(one.key)) ?? -1n)),
    series.map((one: any) => text(units(one.costUSD))),
  ]
  yield ['dearest series', dearest.slice(0, 3).map(text), series.map((one: any) => text(size(units(one.costUSD))))]
  yield ['other series', Math.max(0, paths.length - 3), other?.count ?? 0]
  yield ['total of series', [text(sums.total), text(sums.total)], [text(units(total.costUSD)), text(sum(parts))]]
  const estimated = total.estimatedUSD.reduce((all: bigint, value: number) => all + units(value), 0n)
  yield ['estimates of periods', text(sums.estimated), text(estimated)]
  const valuesAt = (at: number) => parts.reduce((all: bigint, { values }: any) => all + units(values[at]), 0n)
  const history = { daily: trends, weekly, monthly }[granularity as 'daily'].items
  const inHistory = history.map((item: any) => [item.period ?? item.date, text(units(item.costUSD))])
  yield [
    'series in each period',
    inHistory,
    chart.periods.map((name: string, at: number) => [name, text(valuesAt(at))]),
  ]
  yield [
    'total in each period',
    inHistory,
    chart.periods.map((name: string, at: number) => [name, text(units(total.values[at]))]),
  ]
  yield [
    'values of series',
    parts.map((one: any) => text(units(one.costUSD))),
    parts.map(({ values }: any) => text(values.reduce((all: bigint, value: number) => all + units(value), 0n))),
  ]
}

function* resourceComparisons({ grain }: Filter, sums: Sums, reply: Said): Generator<Compared> {
  const { rows, receipt, ofService } = reply
  const providers = Object.entries<any>(reply['providers']).map(([provider, rest]) => ({ provider, ...rest }))
  yield ['providers', amounts(sums.providers), said(providers, 'provider')]
  yield ['receipt', text(sums.total), receipt.totalUSD]
  yield [`rows by ${grain || 'resource and day'}`, text(sums.total), text(sum(rows))]
  if (grain !== '') yield [`each ${grain}`, amounts(sums.grain), said(rows, 'key')]
  else yield ['how many resource-days', sums.grain.size, rows.length]
  const wanted = text(sums.service)
  yield ['breakdown of a service', wanted, text(sum(ofService.flow.nodes, 'valueUSD'))]
  yield ['series of a service', wanted, text(units(ofService.chart.total.costUSD))]
  yield ['receipt of a service', wanted, ofService.receipt.totalUSD]
  yield ['drivers of a service', wanted, text(units(ofService.drivers.total.costUSD))]
  yield ['resources of a service', wanted, text(sum(ofService.rows))]
}

function* teamComparisons({ granularity }: Filter, sums: Sums, { teams, teamTrends }: Said): Generator<Compared> {
  const named = teams.map((team: any) => ({ ...team, id: team.teamID ?? 'unassigned' }))
  yield ['teams', amounts(sums.teams), said(named, 'id')]
  const trends = teamTrends.items.flatMap((item: any) =>
    item.points.map((point: any) => ({ ...point, id: `${item.teamID ?? 'unassigned'} ${point.date}` })),
  )
  yield [`${granularity} trends of teams`, text(sums.total), text(sum(trends))]
  const shares = teams.reduce((all: number, team: any) => all + team.percentOfTotal, 0)
  if (sums.total !== 0n) yield ['shares', true, Math.abs(shares - 100) < 0.01]
}

function* tagComparisons(sums: Sums, { tags, pairs, values }: Said): Generator<Compared> {
  yield ['tag keys', notZero(amounts(sums.keys)), notZero(said(tags.items, 'tagKey'))]
  yield ['tag values', notZero(amounts(sums.values)), notZero(said(values, 'tagValue'))]
  yield ['tagged', cents(sums.tagged), tags.taggedCostUsd]
  yield ['untagged', cents(sums.total - sums.tagged), pairs.untaggedCostUsd]
  yield ['total of tags', cents(sums.total), pairs.totalCostUsd]
}

/** Every other report that can be asked by tag. */
function* oneTagComparisons(sums: Sums, { flow, chart, untagged, tag }: any): Generator<Compared> {
  const withNone = new Map([
    ...sums.values,
    ['(none)', sums.total - [...sums.values.values()].reduce((a, b) => a + b, 0n)],
  ])
  yield ['breakdown by tag', notZero(amounts(withNone)), notZero(said(flow.nodes, 'id', 'valueUSD'))]
  const charted = chart.series.map((one: any) => ({ ...one, id: Object.values(one.key)[0] }))
  yield ['series by tag', notZero(amounts(withNone)), notZero(said(charted, 'id'))]
  yield ['receipt of what has no tag', text(sums.total - sums.tagged), untagged.totalUSD]
  if (!tag) return
  const wanted = text(sums.values.get(tag.value) ?? 0n)
  yield ['trends of a tag', wanted, text(sum(tag.trends.items))]
  yield ['resources of a tag', wanted, text(sum(tag.resources))]
  yield ['receipt of a tag', wanted, tag.receipt.totalUSD]
}

/** Whether the lines of bills by themselves say which of them the filter means. */
const isOfLines = ({ scope, teams, tags, types }: Filter): boolean =>
  scope.all && teams.length + tags.length + types.length === 0

async function sumOfLines(ch: ClickHouseClient, org: string, filter: Filter): Promise<string> {
  const { from, to, providers, accounts, regions } = filter
  const result = await ch.query({
    query: `
      SELECT toString(sum(BilledCost)) AS cost FROM cost_lines
      WHERE x_OrgId = {org:String} AND x_Day BETWEEN {from:Date32} AND {to:Date32}
        AND (empty({providers:Array(String)}) OR x_Provider IN {providers:Array(String)})
        AND (empty({accounts:Array(String)}) OR x_CloudAccountId IN {accounts:Array(String)})
        AND (empty({regions:Array(String)}) OR RegionId IN {regions:Array(String)})`,
    query_params: { org, from, to, providers, accounts, regions },
    format: 'JSONEachRow',
  })
  const [row] = await result.json<{ cost: string }>()
  return row?.cost ?? ''
}
