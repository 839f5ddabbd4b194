/** Takes a backup of the stores while the product runs. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Fault } from '#engine/value/fault.ts'
import { version } from '#config/process/version.ts'
import type { Connections } from '#config/state/connect.ts'
import { copyClickHouse, type Base } from './clickhouse.ts'
import { figuresOf } from './figures.ts'
import { filesOf, hashOfFile, readManifest, writeManifest, type BackupFile, type Manifest } from './manifest.ts'
import { copyPostgres } from './postgres.ts'

export interface BackupOptions {
  /** Folder of an earlier backup. */
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

/** The order matters: whatever PostgreSQL says is done must be in the copy of ClickHouse. */
export async function takeBackup(
  { settings, store, log, clickhouse, installation, clock }: Connections,
  folder: string,
  { base, withKey }: BackupOptions,
): Promise<TakenBackup> {
  const [wrong] = await installation.look()
  if (wrong) throw Fault.refused('stores_differ', `No backup was taken. ${wrong.message}`)
  const before = openBase(base)
  makeEmpty(folder)
  const startedAt = new Date(clock.now()).toISOString()
  const sendAgainFrom = await oldestUncommitted({ store, log }, startedAt)
  const postgres = await copyPostgres(store.url, folder)
  if (before && before.manifest.installation !== postgres.installation)
    throw Fault.refused('other_installation', `${base} is a backup of another installation.`)
  const { files, reused } = await copyClickHouse(clickhouse, folder, before)
  const figures = await figuresOf(folder, files)
  const key = withKey ? await copyKey(settings.dataDir, folder) : undefined
  const manifest: Manifest = {
    format: 1,
    version,
    startedAt,
    sendAgainFrom,
    finishedAt: new Date(clock.now()).toISOString(),
    ...postgres,
    ...figures,
    clickhouse: files,
    ...(key && { key }),
  }
  writeManifest(folder, manifest)
  return { manifest, reused, bytes: filesOf(manifest).reduce((sum, file) => sum + file.bytes, 0) }
}

/** When the oldest message was sent that no lane has committed; `now` if there is none. */
async function oldestUncommitted({ store, log }: Pick<Connections, 'store' | 'log'>, now: string): Promise<string> {
  const sql = 'select lane, cursor::float8 as cursor from lane'
  const lanes = await store.rows<{ lane: number; cursor: number }>(sql, [])
  const times = await Promise.all(lanes.map(({ lane, cursor }) => log.oldestBehind(lane, cursor, '*')))
  return new Date(Math.min(Date.parse(now), ...times.filter((at) => at !== undefined))).toISOString()
}

const openBase = (folder: string | undefined): Base | undefined =>
  folder === undefined ? undefined : { folder, manifest: readManifest(folder) }

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
