/** Replaces what a person was called in the texts of ClickHouse. */
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { organizationTables } from '#analytics/store/tenancy.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const columnsSql = sql('text_columns')
const texts = {
  plain: { count: sql('count_text'), replace: sql('replace_text') },
  map: { count: sql('count_text_in_map'), replace: sql('replace_text_in_map') },
}

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
 * address. How many columns of tables held it.
 */
export async function replaceText(ch: ClickHouseClient, was: string, text: string): Promise<number> {
  const query_params = { tables: writtenTables() }
  const result = await ch.query({ query: columnsSql, query_params, format: 'JSONEachRow' })
  const params = { pattern: patternOf(was), with: `\\1${text.replaceAll('\\', String.raw`\\`)}\\2` }
  let found = 0
  for (const { table, column, isMap } of await result.json<Column>()) {
    const { count, replace } = isMap ? texts.map : texts.plain
    const about = { table, column, ...params }
    const counted = await ch.query({ query: count, query_params: about, format: 'JSONEachRow' })
    if (Number((await counted.json<{ rows: string | number }>())[0]?.rows ?? 0) === 0) continue
    await ch.command({ query: replace, query_params: about })
    found++
  }
  return found
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

/** As RE2 has it, which looks neither ahead nor back: what stands around it is taken too, and put back. */
const patternOf = (was: string): string =>
  `(?i)(^|[^\\pL\\pN._%+-])${escaped(was)}($|[^\\pL\\pN.@-]|\\.$|\\.[^\\pL\\pN])`
