/** Replaces what a person was called in the texts of ClickHouse. */
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { organizationTables } from '#analytics/store/tenancy.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const columnsSql = sql('text_columns')
const holdsSql = sql('holds_text')
const replaceSql = sql('replace_text')
const replaceInMapSql = sql('replace_text_in_map')

/** What clouds and bills say, which is the organization's and comes again as long as they say it. */
const said =
  /^(?:accepted_tag|allocated_resource|bill|closed_|cost_|fact_sheet|kubernetes_|metric_|resource_|saving_|shared_|usage_)/

/** Tables with what people have written, or were called. */
export const writtenTables = (): string[] =>
  organizationTables()
    .map(({ name }) => name)
    .filter((name) => !said.test(name))

interface Column {
  table: string
  column: string
  isMap: number
}

/**
 * Puts `text` in the place of `was`, however that is spelled in capitals and where it stands by itself: not as a part of a longer word or
 * address. Tables that do not hold it are not written.
 */
export async function replaceText(ch: ClickHouseClient, was: string, text: string): Promise<void> {
  const tables: string[] = []
  for (const table of writtenTables()) if (await holds(ch, table, was)) tables.push(table)
  if (tables.length === 0) return
  const result = await ch.query({ query: columnsSql, query_params: { tables }, format: 'JSONEachRow' })
  const params = { pattern: patternOf(was), with: `\\1${text}\\2` }
  for (const { table, column, isMap } of await result.json<Column>())
    await ch.command({
      query: assigned(isMap ? replaceInMapSql : replaceSql, column),
      query_params: { table, column, ...params },
    })
}

/** The name of what is assigned to cannot be bound; it is one of our own columns. */
const assigned = (query: string, column: string): string => query.replace('{column:Identifier} =', `\`${column}\` =`)

async function holds(ch: ClickHouseClient, table: string, was: string): Promise<boolean> {
  // As texts stand within a tuple.
  const text = was.replaceAll(/[\\']/g, String.raw`\$&`)
  const result = await ch.query({ query: holdsSql, query_params: { table, text }, format: 'JSONEachRow' })
  return (await result.json()).length > 0
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

/** As RE2 has it, which looks neither ahead nor back: what stands around it is taken too, and put back. Some texts are JSON, with escapes of lines' ends. */
const patternOf = (was: string): string =>
  `(?i)(^|\\\\[nrt]|[^\\pL\\pN._%+-])${escaped(was)}($|[^\\pL\\pN.@-]|\\.$|\\.[^\\pL\\pN])`
