/** Figures of a backup, computed from its files alone, without a server. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { ClickHouseFile, Manifest } from './manifest.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const sumsSql = sql('organization_sums')
const rowsSql = sql('file_rows')

export type Figures = Pick<Manifest, 'billedUsd' | 'clickhouseRows'>

/** @throws Error if a file cannot be read */
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
    for (const table of tables) {
      const [found] = await read<{ rows: string }>(rowsSql, { files: filesOfTable(table) })
      clickhouseRows[table] = Number(found!.rows)
    }
    const isComplete = tables.includes('cost_day') && tables.includes('cost_daily_slot')
    const sums = isComplete
      ? await read<{ org_id: string; billed: string }>(sumsSql, {
          slots: filesOfTable('cost_daily_slot'),
          days: filesOfTable('cost_day'),
        })
      : []
    return { clickhouseRows, billedUsd: Object.fromEntries(sums.map((one) => [one.org_id, one.billed])) }
  } finally {
    session.close()
  }
}
