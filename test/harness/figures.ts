/** Small random worlds of bills, and random figures of their reports: each with the question of its receipt. */
import type { ClickHouseClient } from '@clickhouse/client'
import { costByTeam } from '#analytics/attribution/questions.ts'
import { budgetSpend } from '#analytics/budget/questions.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { allCharges } from '#analytics/cost/charge.ts'
import { costByPeriod, costByResource, costFlow, costFlowResources, costTotal } from '#analytics/cost/questions.ts'
import { run, type Query } from '#analytics/store/query.ts'
import { asReported, everything, noLabels, type SliceParams } from '#analytics/store/slice.ts'
import { tagPairs, tagTotals } from '#analytics/tagging/questions.ts'
import { sum } from '#engine/value/decimal.ts'
import { fact } from '#test/harness/clickhouse.ts'
import { random } from '#test/harness/load.ts'

export type Dice = ReturnType<typeof dice>

/** Choices that follow from the seed. */
export function dice(seed: number) {
  const next = random(seed)
  const below = (n: number) => Math.floor(next() * n)
  return {
    below,
    one: <T>(list: readonly T[]): T => list[below(list.length)]!,
    /** True in `percent` of all cases. */
    often: (percent: number) => next() * 100 < percent,
  }
}

const firstDay = Date.parse('2025-12-20')
const daysMax = 40
const dayAt = (n: number): string => new Date(firstDay + n * 86_400_000).toISOString().slice(0, 10)
const accounts = ['acct-1', 'acct-2']
const uids = ['', '', ...Array.from({ length: 14 }, (_, n) => `r|${n}`)]
const groups = ['g1', 'g2']
const teams = ['t1', 't2', 'gone']

/** An amount with as many places as are kept, now and then a credit. */
function amount({ below, often }: Dice): string {
  const places = Array.from({ length: 14 }, () => below(10)).join('')
  return `${often(15) ? '-' : ''}${below(often(3) ? 1_000_000_000 : 100)}.${places}`
}

function line(org: string, id: number, d: Dice) {
  const provider = d.one(['aws', 'gcp', 'azure'])
  return fact(org, `l${id}`, amount(d), {
    x_CloudAccountId: d.one(accounts),
    x_Day: dayAt(d.below(daysMax)),
    x_Provider: provider,
    x_PurchaseType: d.one(['on_demand', 'on_demand', 'spot', 'reserved']),
    x_Source: d.often(15) ? 'estimate' : 'actual',
    EffectiveCost: amount(d),
    ContractedCost: amount(d),
    ListCost: amount(d),
    ServiceName: d.one(['compute', 'storage', 'a,b "c"', '']),
    RegionId: d.one(['us-east-1', 'eu|x', '']),
    ResourceType: d.one(['', '', `${provider}-vm`, 'disk']),
    ResourceId: d.one(uids),
    ChargeCategory: d.one(['Usage', 'Usage', 'Usage', 'Credit', 'Tax']),
    InvoiceId: d.one(['inv-1', 'inv-2', '']),
  })
}

/** Fills an organization: lines, their restatements and deletions, an inventory, teams, groups, tags and one closed month. */
export async function fillWorld(ch: ClickHouseClient, org: string, seed: number, linesCount = 250): Promise<void> {
  const d = dice(seed)
  const lines = Array.from({ length: linesCount }, (_, id) => line(org, id, d))
  const again = lines
    .filter(() => d.often(12))
    .map((before) => ({
      ...before,
      BilledCost: amount(d),
      EffectiveCost: amount(d),
      x_Deleted: Number(d.often(25)),
      x_Version: '2',
    }))
  const at = '2025-12-20 00:00:00.000'
  const named = uids.filter(Boolean)
  const tags = () =>
    Object.fromEntries([
      ...(d.often(60) ? [['env', d.one(['prod', 'dev'])]] : []),
      ...(d.often(40) ? [['app', d.one(['shop', 'a:b'])]] : []),
    ])
  const put = async (table: string, rows: readonly object[]) =>
    void (
      rows.length > 0 &&
      (await ch.insert({ table, values: rows.map((row) => ({ org_id: org, ...row })), format: 'JSONEachRow' }))
    )
  await ch.insert({ table: 'cost_fact', values: [...lines, ...again], format: 'JSONEachRow' })
  await put(
    'resource_state',
    named
      .filter(() => d.often(60))
      .flatMap((resource_uid) =>
        accounts
          .filter(() => d.often(70))
          .map((cloud_account_id) => ({
            cloud_account_id,
            resource_uid,
            name: resource_uid,
            type: d.one(['aws-vm', 'disk', 'bucket']),
            tags: tags(),
            first_seen_at: at,
            observed_at: at,
            x_Version: '1',
          })),
      ),
  )
  await put(
    'billed_tag',
    named.map((resource_uid) => ({ cloud_account_id: d.one(accounts), resource_uid, tags: tags(), day: '2026-01-01' })),
  )
  await put(
    'accepted_tag',
    named
      .filter(() => d.often(30))
      .map((resource_uid) => ({ resource_uid, source: d.one(['smart', 'auto']), tags: tags(), x_Version: '1' })),
  )
  await put(
    'team_state',
    teams.map((team_id) => ({ team_id, name: team_id, deleted: Number(team_id === 'gone'), x_Version: '1' })),
  )
  const owned = () => named.filter(() => d.often(60)).map((resource_uid) => ({ resource_uid, team_id: d.one(teams) }))
  await put(
    'team_assignment',
    owned().map((row) => ({ ...row, assigned_at: at, x_Version: '1' })),
  )
  await put(
    'closed_assignment',
    owned().map((row) => ({ ...row, period: 202512 })),
  )
  await put('snapshot_state', [{ period: 202512, created_at: at, x_Version: '1' }])
  await put(
    'resource_group_member',
    groups.flatMap((group_id) =>
      named
        .filter(() => d.often(40))
        .map((resource_uid) => ({
          group_id,
          resource_uid,
          added_at: at,
          removed: Number(d.often(20)),
          x_Version: '1',
        })),
    ),
  )
  const days = lines.map(({ x_CloudAccountId, x_Day }) => ({
    orgId: org,
    cloudAccountId: String(x_CloudAccountId),
    day: String(x_Day),
  }))
  await recomputeCostDays(ch, days, '1')
}

/** A figure of a report: what it says, to the last digit, and what its receipt is asked with. */
export interface Figure {
  kind: Kind
  exact: string
  receipt: URLSearchParams
}

export const kinds = ['total', 'point', 'node', 'leaf', 'team', 'pair', 'resource', 'group', 'untagged'] as const
type Kind = (typeof kinds)[number]

/** What narrows a report, as its question and as the parameters of its routes. */
interface Narrowed {
  question: Omit<SliceParams, 'org'>
  params: [name: string, value: string][]
}

function narrowed(d: Dice): Narrowed {
  const first = d.below(daysMax)
  const [from, to] = [dayAt(first), dayAt(Math.min(daysMax - 1, first + d.below(daysMax)))]
  const cost = d.one(['billed', 'billed', 'effective', 'contracted', 'list'] as const)
  const question = {
    cost: `${cost}_cost` as const,
    from,
    to,
    as_of: '',
    ...asReported,
    ...everything,
    tag_keys: [] as string[],
    tag_values: [] as string[],
  }
  const params: Narrowed['params'] = [
    ['cost', cost],
    ['from', from],
    ['to', to],
  ]
  const maybe = (percent: number, list: string[], name: string, value: string) => {
    if (!d.often(percent)) return
    list.push(value)
    params.push([name, value === '' ? '(none)' : value])
  }
  maybe(15, (question.providers = []), 'provider', d.one(['aws', 'gcp']))
  maybe(10, (question.accounts = []), 'cloud_account_id', d.one(accounts))
  maybe(10, (question.regions = []), 'region', d.one(['us-east-1', '']))
  maybe(10, (question.types = []), 'resource_type', d.one(['disk', '']))
  maybe(10, (question.teams = []), 'team_id', d.one(['t1', 'unassigned']))
  if (d.often(10)) {
    question.tag_keys.push('env')
    question.tag_values.push('prod')
    params.push(['tag', 'env:prod'])
  }
  return { question, params }
}

type Ask = <Q extends Query<any, any>>(q: Q, params: object) => Promise<any[]>
interface Found {
  exact: string
  more?: Narrowed['params']
}

const flowDims = [
  'provider',
  'cloud_account_id',
  'region',
  'resource_type',
  'service_name',
  'purchase_type',
  'charge_category',
  'invoice_id',
  'team_id',
  'tag:env',
] as const
const none = (value: string) => (value === '' ? '(none)' : value)

async function nodes(d: Dice, ask: Ask, question: object, isLeaf: boolean): Promise<Found[]> {
  const dims = Array.from({ length: 1 + d.below(3) }, () => d.one(flowDims)).filter(
    (dim, at, all) => all.indexOf(dim) === at,
  )
  const tags = dims.includes('tag:env') ? { dim_tags: ['env'], dim_values: [[]] } : {}
  const flow = { ...allCharges, ...noLabels, ...tags }
  const [d1, d2 = 'nothing', d3 = 'nothing'] = dims.map((dim) => (dim === 'tag:env' ? 'tag1' : dim))
  const levels = { d1, d2, d3, d4: 'nothing', d5: 'nothing', d6: isLeaf ? 'resource_uid' : 'nothing' }
  const rows = await (isLeaf
    ? ask(costFlowResources, { ...question, ...flow, ...levels, uids: [], top: 200 })
    : ask(costFlow, { ...question, ...flow, ...levels }))
  return rows.map((row) => {
    const path: Narrowed['params'] = dims.map((dim, at) => [`filter[${dim}]`, none(row[`d${at + 1}`])])
    return { exact: row.cost_usd, more: isLeaf ? [...path, ['filter[resource_uid]', none(row.d6)]] : path }
  })
}

const finders: Readonly<Record<Kind, (d: Dice, ask: Ask, question: Narrowed['question']) => Promise<Found[]>>> = {
  total: async (_, ask, question) => (await ask(costTotal, question)).map((row) => ({ exact: row.cost_usd })),
  point: async (_, ask, question) =>
    (await ask(costByPeriod, { ...question, granularity: 'daily' })).map(({ period, cost_usd: exact }) => ({
      exact,
      more: [
        ['from', period],
        ['to', period],
      ],
    })),
  node: (d, ask, question) => nodes(d, ask, question, false),
  leaf: (d, ask, question) => nodes(d, ask, question, true),
  team: async (_, ask, question) =>
    (await ask(costByTeam, question)).map((row) => ({ exact: row.cost_usd, more: [['filter[team_id]', row.team_id]] })),
  pair: async (_, ask, question) => {
    const before = { prev_from: '2025-01-01', prev_to: '2025-01-01' }
    const rows = await ask(tagPairs, { ...question, ...before, limit: 100, offset: 0 })
    // A pair is a row for each place its tag is from; the tag is carried whatever it is.
    const pairs = Map.groupBy(rows, (row) => `${row.tag_key}:${row.tag_value}`)
    return [...pairs].map(([tag, same]) => ({ exact: sum(same.map((row) => row.cost_usd)), more: [['tag', tag]] }))
  },
  resource: async (_, ask, question) =>
    (
      await ask(costByResource, {
        ...question,
        ...noLabels,
        ...allCharges,
        uids: [],
        sort: 'cost_usd',
        asc: 0,
        limit: 100,
        offset: 0,
      })
    ).map((row) => ({
      exact: row.cost_usd,
      more: [['filter[resource_uid]', none(row.resource_uid)]],
    })),
  group: async (_, ask, { cost, from, to }) =>
    (await ask(budgetSpend, { cost, from, to, ids: groups, dim_tags: [], dim_values: [], by_day: 0 })).map((row) => ({
      exact: row.cost_usd,
      more: [['resource_group_id', row.id]],
    })),
  untagged: async (_, ask, question) => {
    const [[total], [tagged]] = await Promise.all([ask(costTotal, question), ask(tagTotals, question)])
    return [{ exact: sum([total.cost_usd, negative(tagged.tagged_usd)]), more: [['untagged', 'true']] }]
  },
}

const negative = (text: string) => (text.startsWith('-') ? text.slice(1) : `-${text}`)

/** At most `max` figures of one report of that kind, as the queries behind it tell them; none where it is empty. */
export async function figuresOf(
  ch: ClickHouseClient,
  org: string,
  kind: Kind,
  d: Dice,
  max: number,
): Promise<Figure[]> {
  const { question, params } = kind === 'group' ? allOf(narrowed(d)) : narrowed(d)
  const found = await finders[kind](d, (q, asked) => run(ch, q as Query, { ...asked, org } as never), question)
  const first = d.below(found.length || 1)
  return [...found.slice(first), ...found.slice(0, first)].slice(0, max).map(({ exact, more = [] }) => {
    const receipt = new URLSearchParams(params)
    for (const [name, value] of more) {
      if (name === 'from' || name === 'to') receipt.delete(name)
      receipt.append(name, value)
    }
    return { kind, exact: sum([exact]), receipt }
  })
}

/** What groups spent is told of all costs alone. */
const allOf = ({ question, params }: Narrowed): Narrowed => ({
  question: { ...question, ...everything, tag_keys: [], tag_values: [] },
  params: params.slice(0, 3),
})
