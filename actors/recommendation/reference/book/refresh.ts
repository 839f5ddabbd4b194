/** Reads list prices from clouds that publish them. The one writer of their table. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { connectedAccounts } from '#actors/account/connection/cloud.ts'
import type { JobWork, Tools } from '#actors/tools.ts'
import { dayMs, dayOf } from '#engine/value/day.ts'
import { isOfCloud, type CloudAccount, type ReadListPrices } from '#streams/cloud/connector.ts'
import type { ListPrice } from '#streams/cloud/reference/list-price.ts'
import { RefreshedPrice } from './entity.ts'

type RefreshTools = Pick<Tools, 'reads' | 'em' | 'open' | 'cloudOf' | 'now'>

export interface PriceRefresh {
  provider: string
  /** Those whose prices were read now. */
  regions: readonly string[]
  values: number
  /** Why the others could not be read, if any; their prices stay as they were. */
  failure?: string
}

/** Prices of a region that are younger are not read again: another organization may have read them. */
const freshMs = 6 * dayMs
const rowsAtOnce = 5_000

const regionsSql = `
  select distinct region from resource
  where org_id = $1 and provider = $2 and deleted_at is null and region not in ('', 'global') order by region`
const freshSql = `
  select distinct region from refreshed_price where org_id = '' and source = $1 and refreshed_at > $2`

/** The weekly job. Where a cloud does not answer, or the account may not read prices, the former prices stay. */
export const priceRefreshJob =
  (tools: RefreshTools): JobWork =>
  async (_, call) => {
    await refreshPrices(tools, call.orgId, { signal: call.signal })
  }

/** For each cloud of the organization that publishes prices: those of all regions in which it has resources. */
export async function refreshPrices(
  tools: RefreshTools,
  orgId: string,
  { signal, isForced = false }: { signal?: AbortSignal; isForced?: boolean } = {},
): Promise<PriceRefresh[]> {
  const refreshes: PriceRefresh[] = []
  const accounts = Map.groupBy(await connectedAccounts(tools, orgId), ({ provider }) => provider)
  for (const [provider, [account]] of accounts) {
    const read = account && tools.cloudOf(account).prices
    if (!read) continue
    const fresh = isForced ? [] : await freshRegions(tools, provider)
    const regions = await tools.reads.rows<{ region: string }>(regionsSql, [orgId, provider])
    const stale = regions.map(({ region }) => region).filter((region) => !fresh.includes(region))
    refreshes.push(await refreshRegions(tools, read, { account, regions: stale, signal }))
  }
  return refreshes
}

async function freshRegions({ reads, now }: RefreshTools, source: string): Promise<string[]> {
  const rows = await reads.rows<{ region: string }>(freshSql, [source, new Date(now().getTime() - freshMs)])
  return rows.map(({ region }) => region)
}

interface Asked {
  account: CloudAccount
  regions: readonly string[]
  signal: AbortSignal | undefined
}

/** Of a region all prices are replaced, or none. */
async function refreshRegions(
  tools: RefreshTools,
  read: ReadListPrices,
  { account, regions, signal }: Asked,
): Promise<PriceRefresh> {
  const done: string[] = []
  let values = 0
  const ended = (failure?: string): PriceRefresh => ({
    provider: account.provider,
    regions: done,
    values,
    ...(failure !== undefined && { failure }),
  })
  try {
    for await (const prices of read(account, regions, signal)) {
      const [first] = prices
      if (!first) continue
      await storePrices(tools.em(), { source: account.provider, region: first.region, prices, at: tools.now() })
      done.push(first.region)
      values += prices.length
    }
    return ended()
  } catch (error) {
    signal?.throwIfAborted()
    if (!isOfCloud(error)) throw error
    return ended((error as Error).message)
  }
}

/** A price that has not changed. */
const keyOf = ({ kind, name, field, value }: Pick<RefreshedPrice, 'kind' | 'name' | 'field' | 'value'>): string =>
  [kind, name, field, value].join(' ')

interface RegionPrices {
  source: string
  region: string
  prices: readonly ListPrice[]
  at: Date
}

/** Replaces the prices of a region, of each kind that was read: a list that is empty is taken for a gap. */
async function storePrices(em: EntityManager, { source, region, prices, at }: RegionPrices): Promise<void> {
  const kinds = [...new Set(prices.map(({ kind }) => kind))]
  await em.transactional(async (tx) => {
    // Two refreshes at once would mix their prices.
    await tx.execute(`select pg_advisory_xact_lock(hashtext('refreshed_price'))`)
    const former = await tx.find(RefreshedPrice, { orgId: '', source, region })
    const formerDays = new Map(former.map((one) => [keyOf(one), one.effectiveOn]))
    tx.clear()
    await tx.nativeDelete(RefreshedPrice, { orgId: '', source, region, kind: { $in: kinds } })
    for (let from = 0; from < prices.length; from += rowsAtOnce) {
      const rows = prices.slice(from, from + rowsAtOnce).map(({ effectiveOn, ...one }) => {
        const row = { orgId: '', ...one, value: String(one.value), source, refreshedAt: at }
        return { ...row, effectiveOn: effectiveOn ?? formerDays.get(keyOf(row)) ?? dayOf(at) }
      })
      await tx.upsertMany(RefreshedPrice, rows)
    }
  })
}
