/**
 * Copies all ClickHouse tables to files, and back. A partition is read in slices of its sorting key, so that the rows
 * of a key are all in one file, whatever the server merges meanwhile. A file has rows as
 * RowBinaryWithNamesAndTypes.
 */
import { copyFileSync, linkSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import type { ClickHouseClient } from '@clickhouse/client'
import { writeCompressed, type BackupFile, type ClickHouseFile, type Manifest } from './manifest.ts'

const partitionsSql = readFileSync(new URL('clickhouse_partitions.sql', import.meta.url), 'utf8')
const unpack = promisify(zstdDecompress)

/** Rough size of a slice. Text that repeats takes more in a file than in a part. */
const slice = { rows: 100_000, bytes: 24 * 2 ** 20 }
/** The embedded server takes at most 100 MiB in a request. */
const fileMaxBytes = 90 * 2 ** 20

interface Partition {
  table: string
  partition: string
  sorting_key: string
  rows: string
  bytes: string
  state: string
}

/** A finished backup whose files are used again where nothing has changed. */
export interface Base {
  manifest: Manifest
  /** Takes a file over into the new backup. */
  reuse(file: ClickHouseFile): Promise<void> | void
}

/** Must begin after PostgreSQL was copied. */
export async function copyClickHouse(
  clickhouse: ClickHouseClient,
  folder: string,
  base?: Base,
): Promise<{ files: ClickHouseFile[]; reused: string[] }> {
  const result = await clickhouse.query({ query: partitionsSql, format: 'JSONEachRow' })
  const files: ClickHouseFile[] = []
  const reused: string[] = []
  for (const one of await result.json<Partition>()) {
    const unchanged = (base?.manifest.clickhouse ?? []).filter(
      ({ table, partition, state }) => table === one.table && partition === one.partition && state === one.state,
    )
    for (const file of unchanged) await base!.reuse(file)
    reused.push(...unchanged.map((file) => file.path))
    files.push(...(unchanged.length > 0 ? unchanged : await copyPartition(clickhouse, folder, one)))
  }
  return { files, reused }
}

/** A hard link where the file system allows it. */
export function linkFile(from: string, to: string, file: BackupFile): void {
  const [source, target] = [path.join(from, file.path), path.join(to, file.path)]
  mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 })
  try {
    linkSync(source, target)
  } catch {
    copyFileSync(source, target)
  }
}

async function copyPartition(
  clickhouse: ClickHouseClient,
  folder: string,
  { table, partition, sorting_key: key, rows, bytes, state }: Partition,
): Promise<ClickHouseFile[]> {
  let slices = Math.max(1, Math.ceil(Number(rows) / slice.rows), Math.ceil(Number(bytes) / slice.bytes))
  for (;;) {
    const files: ClickHouseFile[] = []
    let isFit = true
    for (let n = 0; n < slices && isFit; n++) {
      const counted = { bytes: 0 }
      const content = readSlice(clickhouse, { table, partition, key, slices, n }, counted)
      const file = await writeCompressed(folder, `clickhouse/${table}/${partition}-${n}.rows.zst`, content)
      isFit = counted.bytes <= fileMaxBytes
      files.push({ ...file, table, partition, state })
    }
    if (isFit) return files
    for (const file of files) rmSync(path.join(folder, file.path))
    slices *= 2
  }
}

interface Slice {
  table: string
  partition: string
  key: string
  slices: number
  n: number
}

async function* readSlice(
  clickhouse: ClickHouseClient,
  { table, partition, key, slices, n }: Slice,
  counted: { bytes: number },
): AsyncGenerator<Buffer> {
  // Table and key come from our schema.
  const { stream } = await clickhouse.exec({
    query: `SELECT * FROM ${table} WHERE _partition_id = {partition:String} AND cityHash64(${key}) % {slices:UInt32} = {n:UInt32}
      FORMAT RowBinaryWithNamesAndTypes`,
    query_params: { partition, slices, n },
  })
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    counted.bytes += chunk.length
    yield chunk
  }
}

/** Adds the rows of all files to the tables, which must be there and empty. */
export async function loadClickHouse(clickhouse: ClickHouseClient, folder: string, manifest: Manifest): Promise<void> {
  for (const file of manifest.clickhouse) {
    const rows = await unpack(readFileSync(path.join(folder, file.path)))
    const { stream } = await clickhouse.exec({
      query: `INSERT INTO ${file.table} FORMAT RowBinaryWithNamesAndTypes`,
      values: Readable.from([rows], { objectMode: false }),
      clickhouse_settings: { async_insert: 0, max_partitions_per_insert_block: '0' },
    })
    stream.resume()
  }
}
