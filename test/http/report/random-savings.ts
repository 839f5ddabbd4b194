/** Savings of chance on the resources of an organization of chance, and what every report must say of them. */
import type { ClickHouseClient } from '@clickhouse/client'
import { plain, scaled } from '#engine/decimal.ts'
import { chance } from '#streams/cloud/simulated/prng.ts'
import { meant } from '#test/http/report/random-sums.ts'
import { providerOf, type Filter, type Line, type Organization } from '#test/http/report/random-organization.ts'

/** What reports may be asked for, and where the report of savings says the same. */
export const savingKinds = {
  reported: 'savedUSD',
  estimated: 'estimatedUSD',
  observed: 'observedUSD',
  verified: 'verifiedUSD',
} as const
export type SavingKind = keyof typeof savingKinds

/** A row of savings where a line of a bill would be; amounts are counts of 1e-10 US dollars. */
interface Saved extends Line {
  source: string
  saved: Record<Exclude<SavingKind, 'reported'>, bigint | null>
}

const places = 10
const rowsMax = 300
const sources = ['recommendation', 'schedule', 'manual', 'bulk', 'override']
const days = 62
const dayOf = (n: number): string => new Date(Date.UTC(2025, 11, 1 + n)).toISOString().slice(0, 10)

export function savingsOf(seed: string, { resources }: Organization): Saved[] {
  const roll = (sides: number, ...words: (string | number)[]) => Math.floor(chance(seed, 'saved', ...words) * sides)
  const known = resources.filter((resource) => resource.known)
  const amount = (n: number, basis: string) =>
    roll(3, n, basis) === 0 ? null : BigInt(roll(2 ** 36, n, basis, 'usd')) - (basis === 'verified' ? 2n ** 34n : 0n)
  return Array.from({ length: rowsMax }, (_, n) => {
    const { uid, account, region, type } = known[roll(known.length, n, 'which')]!
    const source = sources[roll(sources.length, n, 'source')]!
    const of = { id: `s-${n}`, version: 1, deleted: false, estimate: false, service: '', purchase: '', cost: 0n }
    const saved = {
      estimated: amount(n, 'estimated'),
      observed: amount(n, 'observed'),
      verified: amount(n, 'verified'),
    }
    return { ...of, uid, account, region, type, source, day: dayOf(roll(days, n, 'day')), saved }
  })
}

const amountOf = ({ saved }: Saved, kind: SavingKind): bigint =>
  (kind === 'reported' ? (saved.observed ?? saved.estimated) : saved[kind]) ?? 0n

export async function settleSavings(ch: ClickHouseClient, org: string, rows: readonly Saved[]): Promise<void> {
  const text = (amount: bigint | null) => (amount === null ? null : plain(amount, places))
  const values = rows.map((row) => ({
    org_id: org,
    day: row.day,
    cloud_account_id: row.account,
    resource_uid: row.uid,
    source: row.source,
    source_id: row.id,
    claim_id: row.id,
    provider: providerOf[row.account],
    region: row.region,
    resource_type: row.type,
    saved: text(amountOf(row, 'reported')),
    estimated: text(row.saved.estimated),
    observed: text(row.saved.observed),
    verified: text(row.saved.verified),
    x_Version: '1',
  }))
  await ch.insert({ table: 'saving_daily', values, format: 'JSONEachRow' })
}

type Get = (path: string) => Promise<any>

/** What the reports say of the savings of a filter by one kind: in all, by month, and, without tags, by source and by team. */
export async function askSavings(get: Get, { query, tags }: Filter, kind: SavingKind) {
  const [trends, months, ...own] = await Promise.all([
    get(`/reports/trends?${query}&savings=${kind}`),
    get(`/reports/cost-history?${query}&granularity=monthly&savings=${kind}`),
    ...(tags.length > 0 ? [] : ['source', 'team'].map((by) => get(`/reports/savings?${query}&group_by=${by}`))),
  ])
  const exact = (items: any[], name: string) => plain(total(items.map((item) => item[name])), places)
  return {
    days: exact(trends.items, 'savingsUSD'),
    months: exact(months.items, 'savingsUSD'),
    ...(own.length > 0 && { sources: keyed(own[0], kind), teams: keyed(own[1], kind) }),
  }
}

const total = (amounts: readonly number[]): bigint =>
  amounts.reduce((sum, amount) => sum + (scaled(amount, places) ?? 0n), 0n)

const keyed = ({ items }: any, kind: SavingKind): Record<string, string> =>
  shown(new Map(items.map((item: any) => [item.key, scaled(item[savingKinds[kind]], places) ?? 0n])))

/** What they must say. */
export function expectedSavings(made: Organization, rows: readonly Saved[], filter: Filter, kind: SavingKind) {
  const own = meant(made, rows, filter)
  const by = (keyOf: (one: (typeof own)[number]) => string) => {
    const sums = new Map<string, bigint>()
    for (const one of own) sums.set(keyOf(one), (sums.get(keyOf(one)) ?? 0n) + amountOf(one.line as Saved, kind))
    return shown(sums)
  }
  const all = plain(
    own.reduce((sum, { line }) => sum + amountOf(line as Saved, kind), 0n),
    places,
  )
  return {
    days: all,
    months: all,
    ...(filter.tags.length === 0 && {
      sources: by(({ line }) => (line as Saved).source),
      teams: by(({ of }) => of.team_id),
    }),
  }
}

/** In order, without those that come to nothing. */
const shown = (sums: ReadonlyMap<string, bigint>): Record<string, string> =>
  Object.fromEntries(
    [...sums]
      .filter(([, amount]) => amount !== 0n)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, amount]) => [key, plain(amount, places)]),
  )
