/**
 * Checks whether the three stores belong together. Each stores the installation's id. PostgreSQL and ClickHouse also
 * store a position that only increases: PostgreSQL draws it, ClickHouse stores it, PostgreSQL records the confirmation.
 * This detects a store that was emptied, restored alone or replaced. No lane runs while the stores do not match:
 * figures would be missing or counted twice.
 */
import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import type { NatsLog } from '#engine/store/nats/nats.ts'
import type { PostgresStore } from '#engine/store/postgres/postgres.ts'
import type { Reporter } from '#engine/reporter.ts'
import { protocol } from './protocol.ts'

export type StoreName = 'postgres' | 'clickhouse' | 'nats'

/** Identity and position as each store records them; undefined or empty if a store has none. */
export interface Bearings {
  postgres: { id: string; position: number; clickhouse: number; nats: boolean; protocol: number } | undefined
  clickhouse: readonly { id: string; position: number }[]
  nats: string | undefined
}

/** A store that does not match the others, and what to do. */
export interface Misfit {
  store: StoreName
  message: string
}

const titles = { postgres: 'PostgreSQL', clickhouse: 'ClickHouse', nats: 'NATS' } as const

const misfit = (store: StoreName, what: string): Misfit => ({
  store,
  message: `${titles[store]} ${what}. Restore it, or accept the data loss: tidemark stores accept ${store}. See docs/back-up.md, Restore`,
})

/** The stores that do not match. Empty if all match, or if no store has an identity yet. */
export function misfits({ postgres, clickhouse, nats }: Bearings): readonly Misfit[] {
  if (!postgres) {
    const known = [...(clickhouse.length > 0 ? ['ClickHouse'] : []), ...(nats === undefined ? [] : ['NATS'])]
    if (known.length === 0) return []
    return [misfit('postgres', `was emptied or replaced: it does not know the data in ${known.join(' and ')}`)]
  }
  return [...ofClickHouse(postgres, clickhouse), ...ofNats(postgres, nats)]
}

function ofClickHouse(postgres: NonNullable<Bearings['postgres']>, rows: Bearings['clickhouse']): Misfit[] {
  const own = rows.find(({ id }) => id === postgres.id)
  if (!own && rows.length > 0) return [misfit('clickhouse', 'belongs to another installation')]
  if (!own) return postgres.clickhouse === 0 ? [] : [misfit('clickhouse', 'was emptied: its cost data is lost')]
  if (own.position < postgres.clickhouse)
    return [misfit('clickhouse', 'is older than PostgreSQL: it was restored from a backup and lacks newer data')]
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

type InstallationRow = Record<'id' | 'position' | 'clickhouse', string> & { nats: boolean; protocol: number }

/** Message for the operator of a process that is too old. */
export const outdatedText = (newest: number): string =>
  `a newer version runs on these stores (protocol ${newest}, this process has ${protocol}). This process is too old and runs no lanes; upgrade it. See docs/upgrade.md`

export interface InstallationTools {
  store: PostgresStore
  clickhouse: ClickHouseClient
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
    const { log } = this.tools
    // PostgreSQL is read before ClickHouse for what it has confirmed (ClickHouse must have that), and after it for the
    // drawn position (ClickHouse cannot have more).
    const before = await this.ofPostgres()
    const [clickhouse, nats] = await Promise.all([this.ofClickHouse(), log.owner()])
    const after = await this.ofPostgres()
    const postgres = before && after && { ...after, clickhouse: before.clickhouse, nats: before.nats }
    return { postgres, clickhouse, nats }
  }

  private async ofPostgres(): Promise<Bearings['postgres']> {
    const [row] = await this.tools.store.rows<InstallationRow>(
      'select id, position, clickhouse, nats, protocol from installation',
      [],
    )
    return row && { ...row, position: Number(row.position), clickhouse: Number(row.clickhouse) }
  }

  /** A missing database, or one without tables, counts as empty. */
  private async ofClickHouse(): Promise<Bearings['clickhouse']> {
    const query = 'SELECT id, toString(max(position)) AS position FROM installation GROUP BY id'
    try {
      const result = await this.tools.clickhouse.query({ query, format: 'JSONEachRow' })
      const rows = await result.json<{ id: string; position: string }>()
      return rows.map(({ id, position }) => ({ id, position: Number(position) }))
    } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
  }

  /** Records a new position: drawn in PostgreSQL, written to ClickHouse, confirmed in PostgreSQL. */
  async beat(): Promise<void> {
    const { store, clickhouse } = this.tools
    const drawn = `update installation set position = position + 1 returning id, position::text`
    const [row] = await store.rows<{ id: string; position: string }>(drawn, [])
    if (!row) return
    await clickhouse.insert({ table: 'installation', values: [row], format: 'JSONEachRow' })
    const confirmed = 'update installation set clickhouse = greatest(clickhouse, $1::bigint)'
    await store.rows(confirmed, [row.position])
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

/** UNKNOWN_TABLE and UNKNOWN_DATABASE. */
const isMissing = (error: unknown): boolean => ['60', '81'].includes((error as { code?: string }).code ?? '')
