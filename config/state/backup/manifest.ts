/** The list of a backup's files. It is written last, so a folder without it is an interrupted backup. */
import { createHash } from 'node:crypto'
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { Fault } from '#engine/value/fault.ts'

/** A file of the backup. Its path is relative to the folder. */
export interface BackupFile {
  path: string
  bytes: number
  sha256: string
}

/** Rows of a PostgreSQL table, all of one moment. */
export interface PostgresFile extends BackupFile {
  table: string
  columns: string[]
  rows: number
}

/** A part of the rows of a ClickHouse table's partition. */
export interface ClickHouseFile extends BackupFile {
  table: string
  partition: string
  /** Changes whenever the partition's stored parts change. */
  state: string
  /** Backups of older versions do not have it. */
  rows?: number
}

export interface Manifest {
  format: 1
  /** The product's version. */
  version: string
  installation: string
  /** ISO 8601, before PostgreSQL was read. */
  startedAt: string
  /** Messages that were sent earlier are in the backup. Before `startedAt` if lanes lagged. */
  sendAgainFrom: string
  finishedAt: string
  /** Position of the installation in PostgreSQL. */
  position: number
  /** The generation before PostgreSQL was read. Days with a later one are computed again after a restore. */
  generation: string
  /** By lane, the last message whose effects are in PostgreSQL. */
  cursors: { lane: number; cursor: number }[]
  /** PostgreSQL migrations that were applied, in any order. */
  migrations: string[]
  sequences: { name: string; value: string; isCalled: boolean }[]
  /** By ID of the organization, the billed cost of all its published days, US dollars. */
  billedUsd: Record<string, string>
  /** By table. */
  clickhouseRows: Record<string, number>
  postgres: PostgresFile[]
  clickhouse: ClickHouseFile[]
  /** The key for stored credentials, if it was included. */
  key?: BackupFile
}

export const manifestName = 'manifest.json'

/** @throws Fault `backup_incomplete` or `backup_unreadable` */
export function readManifest(folder: string): Manifest {
  const file = path.join(folder, manifestName)
  if (!existsSync(file))
    throw Fault.refused(
      'backup_incomplete',
      `${folder} has no ${manifestName}. It is not a backup, or the backup was interrupted.`,
    )
  return parseManifest(readFileSync(file, 'utf8'), file)
}

/** `file` is where the text is from. @throws Fault `backup_unreadable` */
export function parseManifest(text: string, file: string): Manifest {
  let found: Manifest
  try {
    found = JSON.parse(text) as Manifest
  } catch {
    throw Fault.refused('backup_unreadable', `${file} is damaged.`)
  }
  if (found.format === 1) return found
  throw Fault.refused(
    'backup_unreadable',
    `${file} has the format ${String(found.format)}, which this version cannot read.`,
  )
}

export function writeManifest(folder: string, manifest: Manifest): void {
  const file = path.join(folder, manifestName)
  writeFileSync(`${file}.part`, `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.part`, file)
}

export const filesOf = ({ postgres, clickhouse, key }: Manifest): BackupFile[] => [
  ...postgres,
  ...clickhouse,
  ...(key ? [key] : []),
]

/** Writes the content compressed (Zstandard) and synced. */
export async function writeCompressed(
  folder: string,
  name: string,
  content: AsyncIterable<Buffer | string>,
): Promise<BackupFile> {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const hash = createHash('sha256')
  let bytes = 0
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length
      hash.update(chunk)
      done(undefined, chunk)
    },
  })
  const out = createWriteStream(file, { mode: 0o600, flush: true })
  await pipeline(Readable.from(content, { objectMode: false }), createZstdCompress(), counted, out)
  return { path: name, bytes, sha256: hash.digest('hex') }
}

/** Undefined if the file is missing. */
export async function hashOfFile(file: string): Promise<{ bytes: number; sha256: string } | undefined> {
  if (!existsSync(file)) return undefined
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}
