/** Restores a backup into empty stores, and makes them continue from it. */
import { copyFileSync, existsSync } from 'node:fs'
import path from 'node:path'
import type { ClickHouseClient } from '@clickhouse/client'
import type pg from 'pg'
import { costDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { costDayKey } from '#analytics/rollup/day-batch.ts'
import { newestGeneration } from '#analytics/rollup/monthly-cost/cost-month.ts'
import { findDaysSince } from '#analytics/rollup/stale-day/outdated-day.ts'
import { migrate } from '#engine/store/migrate.ts'
import { markAnew } from '#engine/store/postgres/mark.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Reporter } from '#engine/reporter.ts'
import { version } from '#config/process/version.ts'
import type { Settings } from '#config/settings/settings.ts'
import { acceptNats, continueAfter } from '#config/state/accept-store.ts'
import {
  clickhouseClient,
  connect,
  migrateTables,
  postgresMigrations,
  streamsOwner,
  type StoreUrls,
} from '#config/state/connect.ts'
import { loadClickHouse } from './clickhouse.ts'
import type { Manifest } from './manifest.ts'
import { connectPostgres, loadPostgres } from './postgres.ts'
import { verifyBackup } from './verify-backup.ts'

export interface RestoredBackup {
  manifest: Manifest
  /** What was done about the streams. */
  done: string[]
  /** By lane, messages that the streams still have and that are processed again. */
  again: number
  hasKey: boolean
}

/** @throws Fault if the backup is damaged. Nothing is touched then. */
export async function checkedBackup(folder: string, { lanes }: Pick<Settings, 'lanes'>): Promise<Manifest> {
  const { manifest, problems } = await verifyBackup(folder)
  if (problems.length > 0)
    throw Fault.refused('backup_damaged', `${folder} is damaged: ${problems.slice(0, 5).join('; ')}.`)
  const known = new Set(postgresMigrations.map(({ name }) => name))
  if (manifest.migrations.some((name) => !known.has(name)))
    throw Fault.refused(
      'backup_newer',
      `${folder} was taken by the newer version ${manifest.version}. This is ${version}; restore with that version.`,
    )
  if (manifest.cursors.length !== lanes)
    throw Fault.refused(
      'other_lanes',
      `${folder} has ${manifest.cursors.length} lanes. Set TIDEMARK_LANES=${manifest.cursors.length}.`,
    )
  return manifest
}

/**
 * Interrupted at any point, it leaves stores that no lane runs on: ClickHouse knows its installation first, and
 * PostgreSQL gets all rows in one transaction.
 * @throws Fault if a store is not empty, or the streams belong to another installation
 */
export async function restoreBackup(
  settings: Settings,
  urls: StoreUrls,
  report: Reporter,
  folder: string,
  manifest: Manifest,
): Promise<RestoredBackup> {
  const clickhouse = clickhouseClient(urls)
  const client = await connectPostgres(urls.postgres)
  try {
    await refuseNonEmpty(client, clickhouse)
    const owner = await streamsOwner(urls.nats)
    if (owner !== undefined && owner !== manifest.installation)
      throw Fault.refused('other_streams', 'NATS has the streams of another installation. Empty it first.')
    await migrateTables(settings, clickhouse)
    await loadClickHouse(clickhouse, folder, manifest)
    const taken = new Set(manifest.migrations)
    await migrate(
      urls.postgres,
      postgresMigrations.filter(({ name }) => taken.has(name)),
    )
    await client.query('begin')
    await loadPostgres(client, folder, manifest)
    await continueAfterCopy(client, clickhouse, manifest)
    await markNewerDays(client, clickhouse, manifest)
    // Otherwise empty streams would count as lost by this installation.
    if (owner === undefined) await client.query('update installation set nats = false')
    await client.query('commit')
  } finally {
    await Promise.all([client.end(), clickhouse.close()])
  }
  const connections = await connect(settings, urls, report)
  try {
    const done = await acceptNats(connections)
    const again = await countAgain(connections, manifest)
    return { manifest, done, again, hasKey: restoreKey(settings, folder, manifest) }
  } finally {
    await connections.close()
  }
}

async function refuseNonEmpty(client: pg.Client, clickhouse: ClickHouseClient): Promise<void> {
  const { rowCount } = await client.query('select from pg_tables where schemaname = current_schema() limit 1')
  const query = 'SELECT name FROM system.tables WHERE database = currentDatabase() LIMIT 1'
  const found = await (await clickhouse.query({ query, format: 'JSONEachRow' })).json()
  const full = [...(rowCount ? ['PostgreSQL'] : []), ...(found.length > 0 ? ['ClickHouse'] : [])]
  if (full.length > 0)
    throw Fault.refused(
      'stores_not_empty',
      `${full.join(' and ')} already contain${full.length === 1 ? 's' : ''} tables. Restore into an empty data folder or empty stores.`,
    )
}

/** ClickHouse was copied later, so it may have seen more than the copy of PostgreSQL. */
async function continueAfterCopy(
  client: pg.Client,
  clickhouse: ClickHouseClient,
  { installation }: Manifest,
): Promise<void> {
  const query = 'SELECT toString(max(position)) AS position FROM installation'
  const [row] = await (await clickhouse.query({ query, format: 'JSONEachRow' })).json<{ position: string }>()
  const run = (sql: string, params: unknown[]) => client.query(sql, params)
  await continueAfter(run, installation, Number(row!.position), await newestGeneration(clickhouse))
}

/** The copy may have sums of these days without all of their rows. */
async function markNewerDays(client: pg.Client, clickhouse: ClickHouseClient, { generation }: Manifest): Promise<void> {
  const days = await findDaysSince(clickhouse, generation)
  await markAnew(
    client,
    days.map((day) => ({ projection: costDays.name, orgId: day.orgId, key: costDayKey(day) })),
  )
}

async function countAgain({ log }: Awaited<ReturnType<typeof connect>>, { cursors }: Manifest): Promise<number> {
  let again = 0
  for (const { lane, cursor } of cursors) {
    const { first, last } = await log.bounds(lane)
    again += Math.max(0, last - Math.max(cursor, first - 1))
  }
  return again
}

/** Returns whether credentials can be decrypted. A key that is there stays. */
function restoreKey({ dataDir, credentialsKey }: Settings, folder: string, { key }: Manifest): boolean {
  const file = path.join(dataDir, 'credentials.key')
  if (credentialsKey !== undefined || existsSync(file)) return true
  if (!key) return false
  copyFileSync(path.join(folder, key.path), file)
  return true
}
