/** Replaces a person's name or address in ClickHouse texts. */
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { organizationTables } from '#analytics/store/tenancy.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const columnsSql = sql('text_columns')
const holdsSql = sql('holds_text')
const replaceSql = sql('replace_text')
const replaceInMapSql = sql('replace_text_in_map')

/** Data from clouds and bills, which belongs to the organization and is sent again while they contain it. */
const cloudTables =
  /^(?:accepted_tag|allocated_resource|bill|closed_|cost_|fact_sheet|kubernetes_|metric_|resource_|saving_|shared_|usage_)/

/** Tables with texts that people have written or names of people. */
const writtenTables = (): string[] =>
  organizationTables()
    .map(({ name }) => name)
    .filter((name) => !cloudTables.test(name))

interface Column {
  table: string
  column: string
  isMap: number
}

/**
 * Replaces `was` by `text`, regardless of case and only as a whole: not as a part of a longer word or address. Tables
 * that do not contain it are not written.
 */
export async function replaceText(ch: ClickHouseClient, was: string, text: string): Promise<void> {
  const tables: string[] = []
  for (const table of writtenTables()) if (await holds(ch, table, was)) tables.push(table)
  if (tables.length === 0) return
  const result = await ch.query({ query: columnsSql, query_params: { tables }, format: 'JSONEachRow' })
  const params = { pattern: patternOf(was), with: `\\1${text}\\2` }
  for (const { table, column, isMap } of await result.json<Column>())
    await ch.command({
      query: insertColumnName(isMap ? replaceInMapSql : replaceSql, column),
      query_params: { table, column, ...params },
    })
}

/** The assigned column's name cannot be bound; it is one of our own columns. */
const insertColumnName = (query: string, column: string): string =>
  query.replace('{column:Identifier} =', `\`${column}\` =`)

async function holds(ch: ClickHouseClient, table: string, was: string): Promise<boolean> {
  // As texts are written within a tuple.
  const text = was.replaceAll(/[\\']/g, String.raw`\$&`)
  const result = await ch.query({ query: holdsSql, query_params: { table, text }, format: 'JSONEachRow' })
  return (await result.json()).length > 0
}

const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

/**
 * As an RE2 pattern, which has no lookahead or lookbehind: the surrounding characters are matched too, and put back.
 * Some texts are JSON, with escaped line ends.
 */
const patternOf = (was: string): string =>
  `(?i)(^|\\\\[nrt]|[^\\pL\\pN._%+-])${escapePattern(was)}($|[^\\pL\\pN.@-]|\\.$|\\.[^\\pL\\pN])`
