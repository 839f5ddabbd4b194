/** Savings of chance on the resources of an organization of chance, and what every report must say of them. */
import type { ClickHouseClient } from '@clickhouse/client'
import { plain, toUnits } from '#engine/value/decimal.ts'
import { chance } from '#streams/cloud/simulated/world/prng.ts'
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
    const of = {
      id: `s-${n}`,
      version: 1,
      deleted: false,
      estimate: false,
      service: '',
      purchase: '',
      tags: {},
      cost: 0n,
    }
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

/** What the report of savings is asked by. */
const groups = ['source', 'team', 'account', 'resource'] as const

/**
 * What the reports say of the savings of a filter by one kind: in all, by day and month, and by its grain; and, without tags, what
 * the report of savings says by source, team, account and resource.
 */
export async function askSavings(get: Get, { query, tags, grain }: Filter, kind: SavingKind) {
  const asked = `${query}&savings=${kind}`
  const [summary, trends, months, pairs, rows, ...own] = await Promise.all([
    get(`/reports/summary?${asked}`),
    get(`/reports/trends?${asked}`),
    get(`/reports/cost-history?${asked}&granularity=monthly`),
    get(`/reports/tags?unit=pairs&${asked}&limit=1`),
    pages(get, `/reports/costs/resources?${asked}${grain === '' ? '' : `&group_by=${grain}`}`),
    ...(tags.length > 0 ? [] : groups.map((by) => get(`/reports/savings?${query}&group_by=${by}`))),
  ])
  return {
    summary: summary.totalSavingsUSD as number,
    tags: pairs.totalSavingsUsd as number,
    days: exact(trends.items),
    months: exact(months.items),
    rows: keyed(grain === '' ? rows.map(named) : rows, 'savingsUSD'),
    ...Object.fromEntries(own.map(({ items }, at) => [`savings by ${groups[at]}`, keyed(items, savingKinds[kind])])),
  }
}

async function pages(get: Get, path: string): Promise<any[]> {
  const rows: any[] = []
  for (let page = 1; ; page++) {
    const { items, hasMore } = await get(`${path}&limit=100&page=${page}`)
    rows.push(...items)
    if (!hasMore) return rows
  }
}

/** A day of a resource under a key. */
const named = (row: any) => ({ ...row, key: `${row.date} ${row.cloudAccountId} ${row.resourceUid}` })

const exact = (items: readonly any[]): string => plain(total(items.map((item) => item.savingsUSD)), places)

const total = (amounts: readonly number[]): bigint =>
  amounts.reduce((sum, amount) => sum + (toUnits(amount, places) ?? 0n), 0n)

const keyed = (items: readonly any[], name: string): Record<string, string> =>
  shown(new Map(items.map((item) => [item.key, toUnits(item[name], places) ?? 0n])))

/** What they must say. */
export function expectedSavings(made: Organization, rows: readonly Saved[], filter: Filter, kind: SavingKind) {
  const own = meant(made, rows, filter)
  const by = (keyOf: (one: (typeof own)[number]) => string) => {
    const sums = new Map<string, bigint>()
    for (const one of own) sums.set(keyOf(one), (sums.get(keyOf(one)) ?? 0n) + amountOf(one.line as Saved, kind))
    return shown(sums)
  }
  const sum = own.reduce((all, { line }) => all + amountOf(line as Saved, kind), 0n)
  const [all, cents] = [plain(sum, places), Number(plain(toUnits(plain(sum, places), 2) ?? 0n, 2))]
  return {
    summary: cents,
    tags: cents,
    days: all,
    months: all,
    rows: by(({ line, of }) => keyOfGrain(filter.grain, line, of)),
    ...(filter.tags.length === 0 && {
      'savings by source': by(({ line }) => (line as Saved).source),
      'savings by team': by(({ of }) => of.team_id),
      'savings by account': by(({ line }) => line.account),
      'savings by resource': by(({ line }) => line.uid),
    }),
  }
}

const keyOfGrain = (
  grain: Filter['grain'],
  { day, account, uid }: Line,
  of: Readonly<Record<string, string>>,
): string => {
  if (grain === '') return `${day} ${account} ${uid}`
  return grain === 'resource' ? uid : of[grain] || '(none)'
}

/** In order, without those that come to nothing. */
const shown = (sums: ReadonlyMap<string, bigint>): Record<string, string> =>
  Object.fromEntries(
    [...sums]
      .filter(([, amount]) => amount !== 0n)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, amount]) => [key, plain(amount, places)]),
  )
