/** Takes a backup of the stores while the product runs. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Fault } from '#engine/value/fault.ts'
import { version } from '#config/process/version.ts'
import type { Connections } from '#config/state/connect.ts'
import { copyClickHouse, linkFile, type Base } from './clickhouse.ts'
import { figuresOf, summedTables } from './figures.ts'
import { filesOf, hashOfFile, readManifest, writeManifest, type BackupFile, type Manifest } from './manifest.ts'
import { copyPostgres } from './postgres.ts'
import { isS3, S3Backup, withStaging } from './s3-backup.ts'

export interface BackupOptions {
  /** Where an earlier backup is. */
  base?: string | undefined
  withKey: boolean
}

export interface TakenBackup {
  manifest: Manifest
  bytes: number
  /** Files of the base that are used again. */
  reused: number
}

const keyName = 'credentials.key'

/** `place` is a folder or an `s3://` address. */
export async function takeBackup(
  connections: Connections,
  place: string,
  { base, withKey }: BackupOptions,
): Promise<TakenBackup> {
  if (!connections.shards.isSingle)
    throw Fault.refused(
      'several_clickhouse',
      'No backup was taken: it copies one ClickHouse server, and CLICKHOUSE_SHARDS names others. Copy PostgreSQL, then each ClickHouse server with its own tools. See docs/back-up.md, Other ways',
    )
  const [wrong] = await connections.installation.look()
  if (wrong) throw Fault.refused('stores_differ', `No backup was taken. ${wrong.message}`)
  if (base !== undefined && isS3(base) !== isS3(place))
    throw Fault.refused(
      'other_place',
      'The base must be a folder for a folder, and an s3:// address for an s3:// address.',
    )
  if (isS3(place)) return takeToS3(connections, place, { base, withKey })
  const folder = path.resolve(place)
  const before = base === undefined ? undefined : folderBase(base, folder)
  makeEmpty(folder)
  return (await copyStores(connections, folder, before, withKey)).taken
}

function folderBase(base: string, folder: string): Base {
  return { manifest: readManifest(base), reuse: (file) => linkFile(base, folder, file) }
}

/** Needs room in the data folder for all files that are new. */
async function takeToS3(
  connections: Connections,
  place: string,
  { base, withKey }: BackupOptions,
): Promise<TakenBackup> {
  const { settings, clock } = connections
  const target = await S3Backup.open(place, settings)
  const earlier = base === undefined ? undefined : await S3Backup.open(base, settings)
  try {
    mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 })
    return await withStaging(settings.dataDir, async (folder) => {
      const before = earlier && (await s3Base(earlier, folder))
      await target.claim(clock.now())
      const { taken, reused } = await copyStores(connections, folder, before, withKey)
      await target.upload(folder, taken.manifest, earlier, reused)
      return taken
    })
  } finally {
    target.close()
    earlier?.close()
  }
}

/** Only files whose content is needed here are fetched. Those of older versions, which do not have their rows, are not used. */
async function s3Base(base: S3Backup, folder: string): Promise<Base> {
  const manifest = await base.manifest()
  return {
    manifest: { ...manifest, clickhouse: manifest.clickhouse.filter(({ rows }) => rows !== undefined) },
    reuse: async (file) => {
      if (summedTables.includes(file.table)) await base.download(folder, [file])
    },
  }
}

/** The order matters: whatever PostgreSQL says is done must be in the copy of ClickHouse. */
async function copyStores(
  { settings, store, log, clickhouse, clock }: Connections,
  folder: string,
  before: Base | undefined,
  withKey: boolean,
): Promise<{ taken: TakenBackup; reused: ReadonlySet<string> }> {
  const startedAt = new Date(clock.now()).toISOString()
  const sendAgainFrom = await oldestUncommitted({ store, log }, startedAt)
  const postgres = await copyPostgres(store.url, folder)
  if (before && before.manifest.installation !== postgres.installation)
    throw Fault.refused('other_installation', 'The base is a backup of another installation.')
  const { files, reused } = await copyClickHouse(clickhouse, folder, before)
  const { rows, ...figures } = await figuresOf(folder, files)
  const key = withKey ? await copyKey(settings.dataDir, folder) : undefined
  const manifest: Manifest = {
    format: 1,
    version,
    startedAt,
    sendAgainFrom,
    finishedAt: new Date(clock.now()).toISOString(),
    ...postgres,
    ...figures,
    clickhouse: files.map((file) => ({ ...file, rows: rows.get(file.path)! })),
    ...(key && { key }),
  }
  writeManifest(folder, manifest)
  const bytes = filesOf(manifest).reduce((sum, file) => sum + file.bytes, 0)
  return { taken: { manifest, reused: reused.length, bytes }, reused: new Set(reused) }
}

/** When the oldest message was sent that no lane has committed; `now` if there is none. */
async function oldestUncommitted({ store, log }: Pick<Connections, 'store' | 'log'>, now: string): Promise<string> {
  const sql = 'select lane, cursor::float8 as cursor from lane'
  const lanes = await store.rows<{ lane: number; cursor: number }>(sql, [])
  const times = await Promise.all(lanes.map(({ lane, cursor }) => log.oldestBehind(lane, cursor, '*')))
  return new Date(Math.min(Date.parse(now), ...times.filter((at) => at !== undefined))).toISOString()
}

function makeEmpty(folder: string): void {
  // The figures are read with patterns of file names.
  if (/[*?{}[\]]/.test(path.resolve(folder)))
    throw Fault.refused('folder_name', `${folder} contains *, ?, or brackets. Choose another folder.`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (readdirSync(folder).length > 0) throw Fault.refused('folder_not_empty', `${folder} is not empty.`)
}

async function copyKey(dataDir: string, folder: string): Promise<BackupFile> {
  let text: Buffer
  try {
    text = readFileSync(path.join(dataDir, keyName))
  } catch {
    throw Fault.refused(
      'no_key',
      `${dataDir} has no ${keyName}: the key is the setting CREDENTIALS_KEY. Leave out --with-key.`,
    )
  }
  const file = path.join(folder, keyName)
  writeFileSync(file, text, { mode: 0o600, flush: true })
  return { path: keyName, ...(await hashOfFile(file))! }
}
