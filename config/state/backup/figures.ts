/** Figures of a backup, computed from its files alone, without a server. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { ClickHouseFile, Manifest } from './manifest.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const sumsSql = sql('organization_sums')
const rowsSql = sql('file_rows')

/** Tables from which the costs of organizations are computed: their files must be in the folder. */
export const summedTables: readonly string[] = ['cost_day', 'cost_daily_slot']

export interface Figures extends Pick<Manifest, 'billedUsd' | 'clickhouseRows'> {
  /** Rows by file. */
  rows: ReadonlyMap<string, number>
}

/**
 * Files with known rows may be missing in the folder: an incremental backup in an object store copies them there.
 * @throws Error if a file cannot be read
 */
export async function figuresOf(folder: string, files: readonly ClickHouseFile[]): Promise<Figures> {
  const { Session } = await import('chdb')
  const session = new Session()
  const read = async <T>(query: string, params: object): Promise<T[]> => {
    const result = await session.queryBindAsync(query, params, { format: 'JSONEachRow' })
    return Buffer.from(result.bytes())
      .toString()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as T)
  }
  const filesOfTable = (table: string): string => path.join(path.resolve(folder), 'clickhouse', table, '*.rows.zst')
  try {
    const tables = [...new Set(files.map(({ table }) => table))]
    const clickhouseRows: Record<string, number> = {}
    const rows = new Map<string, number>()
    for (const table of tables) {
      const all = files.filter((file) => file.table === table)
      const local = all.filter((file) => existsSync(path.join(folder, file.path)))
      const found =
        local.length === 0 ? [] : await read<{ file: string; rows: string }>(rowsSql, { files: filesOfTable(table) })
      const counted = new Map(found.map((one) => [one.file, Number(one.rows)]))
      for (const file of all)
        rows.set(file.path, local.includes(file) ? (counted.get(path.basename(file.path)) ?? 0) : (file.rows ?? 0))
      clickhouseRows[table] = all.reduce((sum, file) => sum + rows.get(file.path)!, 0)
    }
    const isComplete = summedTables.every((table) => tables.includes(table))
    const sums = isComplete
      ? await read<{ org_id: string; billed: string }>(sumsSql, {
          slots: filesOfTable('cost_daily_slot'),
          days: filesOfTable('cost_day'),
        })
      : []
    return { rows, clickhouseRows, billedUsd: Object.fromEntries(sums.map((one) => [one.org_id, one.billed])) }
  } finally {
    session.close()
  }
}
