/**
 * The ClickHouse servers, and which of them has an organization's rows. PostgreSQL decides (`org_shard`), and may move an
 * organization at any moment, so nothing here is cached.
 *
 * A reader asks for the server before each query. It is the right one at that moment, and after a move the old server
 * keeps its rows for longer than any query runs.
 *
 * A writer writes first and checks the server afterwards. A move sets `held_until` before it copies the last rows, so a
 * check that sees neither a move nor a hold proves that the rows were there to be copied. Otherwise the writer waits and
 * writes again, to the new server.
 */
import type { ClickHouseClient } from '@clickhouse/client'
import type { Clock, Reads } from '#engine/actor/ports.ts'
import { Fault } from '#engine/value/fault.ts'

/** The server of `CLICKHOUSE_URL`. */
export const mainShard = 'main'

export interface Shard {
  readonly name: string
  readonly client: ClickHouseClient
}

export interface ShardPorts {
  /** Reads of PostgreSQL. */
  rows: Reads['rows']
  clock: Clock
}

/** Items of the organizations of one server. */
export interface ShardPart<T> extends Shard {
  readonly items: T[]
}

const placesSql = `
  select k.org as "orgId", coalesce(s.shard, '${mainShard}') as shard,
    coalesce(s.held_until > clock_timestamp(), false) as "isHeld"
  from unnest($1::text[]) as k(org) left join org_shard s on s.org_id = k.org`

interface Placed {
  orgId: string
  shard: string
  isHeld: boolean
}

/** Milliseconds between checks of a hold, which ends after seconds. */
const heldMs = 100

export class Shards {
  /** `main` first. */
  readonly all: readonly Shard[]
  private readonly ports: ShardPorts | undefined

  /** `others` by name; with any, `ports` are required. */
  constructor(main: ClickHouseClient, others: ReadonlyMap<string, ClickHouseClient> = new Map(), ports?: ShardPorts) {
    this.all = [{ name: mainShard, client: main }, ...Array.from(others, ([name, client]) => ({ name, client }))]
    this.ports = ports
  }

  get main(): ClickHouseClient {
    return this.all[0]!.client
  }

  get isSingle(): boolean {
    return this.all.length === 1
  }

  /** @throws Fault `transient` `unavailable` for a name that is not configured */
  named(name: string): Shard {
    const found = this.all.find((one) => one.name === name)
    if (!found) throw Fault.transient('unavailable', `CLICKHOUSE_SHARDS does not name ${name}.`)
    return found
  }

  /** The server to read an organization's rows from. */
  async of(orgId: string): Promise<ClickHouseClient> {
    return (await this.shardOf(orgId)).client
  }

  async shardOf(orgId: string): Promise<Shard> {
    if (this.isSingle) return this.all[0]!
    return this.named((await this.places([orgId])).get(orgId)!.shard)
  }

  /** Items by the server that now has their organization. */
  async split<T>(items: readonly T[], orgOf: (item: T) => string): Promise<ShardPart<T>[]> {
    if (this.isSingle) return items.length === 0 ? [] : [{ ...this.all[0]!, items: [...items] }]
    const places = await this.places(items.map(orgOf))
    return this.partsOf(items, (item) => places.get(orgOf(item))!.shard)
  }

  /** Those of the rows that are of organizations of this server. After a move, the old server still has rows. */
  async own<T>(shard: Shard, rows: readonly T[], orgOf: (row: T) => string): Promise<T[]> {
    return (await this.split(rows, orgOf)).find(({ name }) => name === shard.name)?.items ?? []
  }

  /**
   * Writes for one organization. `work` runs again if the organization has moved meanwhile, so repeating it must be
   * harmless.
   */
  async write<T>(orgId: string, work: (ch: ClickHouseClient) => Promise<T>): Promise<T> {
    let done: T | undefined
    await this.writeAll(
      [orgId],
      (id) => id,
      async ({ client }) => void (done = await work(client)),
    )
    return done as T
  }

  /**
   * Writes items, on all servers at once. Those of organizations that have moved meanwhile are written again. An error
   * of one server is thrown once the others have finished. `held` is called as long as writers of some have to wait.
   */
  async writeAll<T>(
    items: readonly T[],
    orgOf: (item: T) => string,
    work: (part: ShardPart<T>) => Promise<void>,
    held?: (orgIds: readonly string[]) => void,
  ): Promise<void> {
    for (let left = items; left.length > 0;) left = await this.attempt(left, orgOf, work, held)
  }

  /** Like `writeAll`, for work that must not be repeated. @throws Fault `transient` if an organization has moved meanwhile */
  async writeOnce<T>(
    items: readonly T[],
    orgOf: (item: T) => string,
    work: (part: ShardPart<T>) => Promise<void>,
  ): Promise<void> {
    const moved = await this.attempt(items, orgOf, work)
    if (moved.length > 0)
      throw Fault.transient('unavailable', `The data of ${orgOf(moved[0]!)} moved to another server meanwhile.`)
  }

  /** Runs `work` on each server in turn. An error of one is thrown once the others have finished. */
  async each<T>(work: (shard: Shard) => Promise<T>): Promise<T[]> {
    const ends: PromiseSettledResult<T>[] = []
    for (const shard of this.all) ends.push(...(await Promise.allSettled([work(shard)])))
    return valuesOf(ends)
  }

  /** Returns the items whose organization has moved meanwhile. */
  private async attempt<T>(
    items: readonly T[],
    orgOf: (item: T) => string,
    work: (part: ShardPart<T>) => Promise<void>,
    held?: (orgIds: readonly string[]) => void,
  ): Promise<readonly T[]> {
    if (this.isSingle) {
      await work({ ...this.all[0]!, items: [...items] })
      return []
    }
    const before = await this.settled(items.map(orgOf), held)
    valuesOf(await Promise.allSettled(this.partsOf(items, (item) => before.get(orgOf(item))!).map(work)))
    const after = await this.settled(items.map(orgOf), held)
    return items.filter((item) => before.get(orgOf(item)) !== after.get(orgOf(item)))
  }

  /** The servers of organizations, once no writer has to wait for them. */
  private async settled(
    orgIds: readonly string[],
    held: (orgIds: readonly string[]) => void = () => {},
  ): Promise<Map<string, string>> {
    for (;;) {
      const places = await this.places(orgIds)
      const waiting = [...places.values()].filter(({ isHeld }) => isHeld)
      if (waiting.length === 0) return new Map(Array.from(places, ([orgId, { shard }]) => [orgId, shard]))
      held(waiting.map(({ orgId }) => orgId))
      await this.ports!.clock.sleep(heldMs)
    }
  }

  private partsOf<T>(items: readonly T[], shardOf: (item: T) => string): ShardPart<T>[] {
    return Array.from(Map.groupBy(items, shardOf), ([name, some]) => ({ ...this.named(name), items: some }))
  }

  private async places(orgIds: readonly string[]): Promise<Map<string, Placed>> {
    const params = [[...new Set(orgIds)]]
    const rows = await this.ports!.rows<Placed>(placesSql, params)
    return new Map(rows.map((row) => [row.orgId, row]))
  }
}

function valuesOf<T>(ends: readonly PromiseSettledResult<T>[]): T[] {
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
  return ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
}
