/**
 * Checks whether the three stores belong together. Each stores the installation's id. PostgreSQL and ClickHouse also
 * store a position that only increases: PostgreSQL draws it, ClickHouse stores it, PostgreSQL records the confirmation.
 * This detects a store that was emptied, restored alone or replaced. No lane runs while the stores do not match:
 * figures would be missing or counted twice.
 */
import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import type { Shards } from '#engine/store/clickhouse/shards.ts'
import type { NatsLog } from '#engine/store/nats/nats.ts'
import type { PostgresStore } from '#engine/store/postgres/postgres.ts'
import type { Reporter } from '#engine/reporter.ts'
import { protocol } from './protocol.ts'

export type StoreName = 'postgres' | 'clickhouse' | 'nats'

/** Identity and position as each store records them; undefined or empty if a store has none. */
export interface Bearings {
  postgres: { id: string; position: number; clickhouse: number; nats: boolean; protocol: number } | undefined
  clickhouse: readonly ClickHouseRow[]
  /** The ClickHouse servers other than `main` that answer, and the position that each has confirmed. */
  shards?: readonly { name: string; rows: readonly ClickHouseRow[]; confirmed: number }[]
  /** Names that organizations are placed on, and that `CLICKHOUSE_SHARDS` does not have. */
  unnamed?: readonly string[]
  nats: string | undefined
}

interface ClickHouseRow {
  id: string
  position: number
}

/** A store that does not match the others, and what to do. */
export interface Misfit {
  store: StoreName
  message: string
}

const titles = { postgres: 'PostgreSQL', clickhouse: 'ClickHouse', nats: 'NATS' } as const

const misfit = (store: StoreName, what: string, title: string = titles[store]): Misfit => ({
  store,
  message: `${title} ${what}. Restore it, or accept the data loss: tidemark stores accept ${store}. See docs/back-up.md, Restore`,
})

/** The stores that do not match. Empty if all match, or if no store has an identity yet. */
export function misfits({ postgres, clickhouse, shards = [], unnamed = [], nats }: Bearings): readonly Misfit[] {
  if (!postgres) {
    const known = [...(clickhouse.length > 0 ? ['ClickHouse'] : []), ...(nats === undefined ? [] : ['NATS'])]
    if (known.length === 0) return []
    return [misfit('postgres', `was emptied or replaced: it does not know the data in ${known.join(' and ')}`)]
  }
  return [
    ...unnamed.map((name) => unnamedMisfit(name)),
    ...ofClickHouse(postgres, clickhouse, postgres.clickhouse),
    ...shards.flatMap(({ name, rows, confirmed }) => ofClickHouse(postgres, rows, confirmed, `ClickHouse ${name}`)),
    ...ofNats(postgres, nats),
  ]
}

const unnamedMisfit = (name: string): Misfit => ({
  store: 'clickhouse',
  message: `Organizations are on the ClickHouse server ${name}, which CLICKHOUSE_SHARDS does not name. Add it. See docs/configure.md`,
})

function ofClickHouse(
  postgres: NonNullable<Bearings['postgres']>,
  rows: readonly ClickHouseRow[],
  confirmed: number,
  title?: string,
): Misfit[] {
  const own = rows.find(({ id }) => id === postgres.id)
  if (!own && rows.length > 0) return [misfit('clickhouse', 'belongs to another installation', title)]
  if (!own) return confirmed === 0 ? [] : [misfit('clickhouse', 'was emptied: its cost data is lost', title)]
  if (own.position < confirmed)
    return [misfit('clickhouse', 'is older than PostgreSQL: it was restored from a backup and lacks newer data', title)]
  if (own.position > postgres.position)
    return [misfit('postgres', 'is older than ClickHouse: it was restored from a backup, or a standby took over')]
  return []
}

function ofNats(postgres: NonNullable<Bearings['postgres']>, nats: string | undefined): Misfit[] {
  if (nats === undefined && postgres.nats)
    return [misfit('nats', 'was emptied: messages that were acknowledged but not committed are lost')]
  return nats === undefined || nats === postgres.id ? [] : [misfit('nats', 'belongs to another installation')]
}

/** Milliseconds between checks, each of which draws a new position. A loss of data newer than that is not noticed. */
const lookMs = 5000
/** Milliseconds that a check waits for a ClickHouse server other than `main`. */
const answerMs = 5000

type InstallationRow = Record<'id' | 'position' | 'clickhouse', string> & { nats: boolean; protocol: number }

/** Message for the operator of a process that is too old. */
export const outdatedText = (newest: number): string =>
  `a newer version runs on these stores (protocol ${newest}, this process has ${protocol}). This process is too old and runs no lanes; upgrade it. See docs/upgrade.md`

export interface InstallationTools {
  store: PostgresStore
  shards: Shards
  log: NatsLog
  report: Reporter
}

export class Installation {
  private readonly tools: InstallationTools
  private found: readonly Misfit[] = []
  private newest = 0

  constructor(tools: InstallationTools) {
    this.tools = tools
  }

  /** The newest protocol that has run on these stores, as of the last check. */
  get newestProtocol(): number {
    return this.newest
  }

  /** As of the last check. */
  get misfits(): readonly Misfit[] {
    return this.found
  }

  /** A newer version has run on these stores, so this process may not understand all data. */
  get isOutdated(): boolean {
    return this.newest > protocol
  }

  /** From now on older versions run no lane. */
  async join(): Promise<void> {
    await this.tools.store.rows('update installation set protocol = greatest(protocol, $1)', [protocol])
  }

  /** Checks the stores; creates an id if no store has one. @throws Error if a store is unavailable */
  async look(): Promise<readonly Misfit[]> {
    const bearings = await this.bearings()
    if (!bearings.postgres && misfits(bearings).length === 0) {
      const sql = 'insert into installation (id) values ($1) on conflict do nothing'
      await this.tools.store.rows(sql, [randomUUID()])
      return this.look()
    }
    const found = misfits(bearings)
    const newest = bearings.postgres?.protocol ?? 0
    if (newest > protocol && !this.isOutdated) this.tools.report.error({ protocol, newest }, outdatedText(newest))
    this.newest = newest
    for (const { store, message } of found)
      if (!this.found.some((known) => known.message === message)) this.tools.report.error({ store }, message)
    this.found = found
    return found
  }

  async bearings(): Promise<Bearings> {
    const { log, shards } = this.tools
    // PostgreSQL is read before ClickHouse for what it has confirmed (ClickHouse must have that), and after it for the
    // drawn position (ClickHouse cannot have more).
    const before = await this.ofPostgres()
    const placed = await this.ofPlacements()
    const [clickhouse, nats, ...others] = await Promise.all([
      ofClient(shards.main),
      log.owner(),
      // The organizations of the others continue if one does not answer.
      ...shards.all.slice(1).map(async ({ name, client }) => {
        const rows = await ofClient(client, AbortSignal.timeout(answerMs)).catch(() => undefined)
        return rows && { name, rows, confirmed: placed.confirmed.get(name) ?? 0 }
      }),
    ])
    const after = await this.ofPostgres()
    const postgres = before && after && { ...after, clickhouse: before.clickhouse, nats: before.nats }
    const { unnamed } = placed
    return { postgres, clickhouse, shards: others.filter((one) => one !== undefined), unnamed, nats }
  }

  private async ofPlacements(): Promise<{ confirmed: ReadonlyMap<string, number>; unnamed: string[] }> {
    const { store, shards } = this.tools
    const rows = await store.rows<{ name: string; confirmed: string | null; isUsed: boolean }>(
      `select name, p.position as confirmed, name = any(array(select shard from org_shard)) as "isUsed"
       from (select shard as name from org_shard union select shard from shard_position) n
       left join shard_position p on p.shard = name`,
      [],
    )
    return {
      // A server without organizations may be emptied, or be a new one of an old name.
      confirmed: new Map(rows.map(({ name, confirmed, isUsed }) => [name, isUsed ? Number(confirmed ?? 0) : 0])),
      unnamed: rows
        .filter(({ name, isUsed }) => isUsed && shards.all.every((one) => one.name !== name))
        .map(({ name }) => name),
    }
  }

  private async ofPostgres(): Promise<Bearings['postgres']> {
    const [row] = await this.tools.store.rows<InstallationRow>(
      'select id, position, clickhouse, nats, protocol from installation',
      [],
    )
    return row && { ...row, position: Number(row.position), clickhouse: Number(row.clickhouse) }
  }

  /** Records a new position: drawn in PostgreSQL, written to ClickHouse, confirmed in PostgreSQL. */
  async beat(): Promise<void> {
    const { store, shards } = this.tools
    const drawn = `update installation set position = position + 1 returning id, position::text`
    const [row] = await store.rows<{ id: string; position: string }>(drawn, [])
    if (!row) return
    const write = (ch: ClickHouseClient, more: { abort_signal?: AbortSignal } = {}) =>
      ch.insert({ table: 'installation', values: [row], format: 'JSONEachRow', ...more })
    await write(shards.main)
    await store.rows('update installation set clickhouse = greatest(clickhouse, $1::bigint)', [row.position])
    const others = shards.all.slice(1).map(async ({ name, client }) => {
      await write(client, { abort_signal: AbortSignal.timeout(answerMs) })
      await store.rows(confirmSql, [name, row.position])
    })
    // Other code reports one that is away.
    await Promise.allSettled(others)
  }

  /**
   * Checks the stores and records positions regularly until the returned function is called, which does both once more.
   */
  watch(): () => Promise<void> {
    let under: Promise<void> = Promise.resolve()
    const turn = async () => {
      if ((await this.look()).length === 0) await this.beat()
    }
    // Other code reports stores that are unavailable.
    const timer = setInterval(() => (under = under.then(turn).catch(() => {})), lookMs)
    return async () => {
      clearInterval(timer)
      await under
      await turn().catch(() => {})
    }
  }
}

const confirmSql = `
  insert into shard_position (shard, position) values ($1, $2)
  on conflict (shard) do update set position = greatest(shard_position.position, excluded.position)`

/** A missing database, or one without tables, counts as empty. */
async function ofClient(ch: ClickHouseClient, abort_signal?: AbortSignal): Promise<ClickHouseRow[]> {
  const query = 'SELECT id, toString(max(position)) AS position FROM installation GROUP BY id'
  try {
    const result = await ch.query({ query, format: 'JSONEachRow', ...(abort_signal && { abort_signal }) })
    const rows = await result.json<{ id: string; position: string }>()
    return rows.map(({ id, position }) => ({ id, position: Number(position) }))
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** UNKNOWN_TABLE and UNKNOWN_DATABASE. */
const isMissing = (error: unknown): boolean => ['60', '81'].includes((error as { code?: string }).code ?? '')
