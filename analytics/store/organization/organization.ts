/** Everything that ClickHouse holds of one organization: how much it is, its rows, and its end. */
import { readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import type { ClickHouseClient } from '@clickhouse/client'
import { organizationTables, type OrganizationTable } from '#analytics/store/tenancy.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const deleteSql = sql('delete_organization')
const countSql = sql('count_organization')
const exportSql = sql('export_organization')

const paramsOf = ({ name, of }: OrganizationTable, org: string) => ({ table: name, column: of, org })

async function countIn(ch: ClickHouseClient, table: OrganizationTable, org: string): Promise<number> {
  const result = await ch.query({ query: countSql, query_params: paramsOf(table, org), format: 'JSONEachRow' })
  const [row] = await result.json<{ rows: string | number }>()
  return Number(row?.rows ?? 0)
}

/** By table, how many rows there are of an organization. Tables without any are left out. */
export async function organizationRows(ch: ClickHouseClient, org: string): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const table of organizationTables()) {
    const rows = await countIn(ch, table, org)
    if (rows > 0) found.set(table.name, rows)
  }
  return found
}

/**
 * Deletes all rows of an organization; asks first, for a deletion that finds nothing costs as much as another. Resolves once they are gone
 * from every part.
 */
export async function deleteOrganizationRows(ch: ClickHouseClient, org: string): Promise<void> {
  for (const table of organizationTables())
    if ((await countIn(ch, table, org)) > 0) await ch.command({ query: deleteSql, query_params: paramsOf(table, org) })
}

/** The rows of one table, JSON text a row. */
export async function* exportOrganizationRows(
  ch: ClickHouseClient,
  table: OrganizationTable,
  org: string,
): AsyncGenerator<string, void> {
  const result = await ch.query({
    query: exportSql,
    query_params: paramsOf(table, org),
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_decimals: 1, output_format_json_quote_64bit_integers: 1 },
  })
  const stream: Readable = result.stream()
  for await (const rows of stream) for (const { text } of rows as { text: string }[]) yield text
}
