/** A question of an analyst, made into the request that ClickHouse gets: nothing of who asks is in it. */
import type { Carried } from '#config/embedded/intake.ts'
import { analystSettings } from '#config/analyst/limits.ts'
import { analystStatement, refuseOthers, refusePaths } from '#config/analyst/statement.ts'
import { refusal } from '#config/embedded/words.ts'

export interface Question {
  readonly sql: string
  /** Of the URL: parameters, settings, how the answer is to be written. */
  readonly fields: URLSearchParams
}

/** How the answer is written and packed. */
const writing = new Set(
  'default_format compress network_compression_method client_protocol_version enable_http_compression query_id wait_end_of_query'.split(
    ' ',
  ),
)

/** `databases` are those the caller may name. @throws Error in the engine's words */
export function questionOf(
  { body, fields }: Carried,
  format: string | undefined,
  databases: ReadonlySet<string>,
): Question {
  const named = new Map(fields)
  const query = named.get('query') ?? ''
  const text = [query, body.toString()].filter((part) => part !== '').join('\n')
  const params = fields.filter(([name]) => name.startsWith('param_'))
  const odd = params.find(([name]) => !/^\w+$/.test(name))
  if (odd) throw refusal(36, `${odd[0]} is not a name.`)
  refuseOthers(
    params.map(([, value]) => value),
    databases,
  )
  if (format !== undefined && !named.has('default_format')) named.set('default_format', format)
  // It stands in a header of the answer; another is made where it cannot.
  if (!isWord(named.get('query_id') ?? '')) named.delete('query_id')
  const written = [...named].filter(([name]) => writing.has(name))
  const strange = written.find(([, value]) => !isWord(value))
  if (strange) throw refusal(36, `${strange[0]} is not a word.`)
  const sql = analystStatement(text, databases)
  refusePaths(
    sql,
    params.map(([, value]) => value),
  )
  const all = [...params, ...written, ...analystSettings(named)]
  return { sql, fields: new URLSearchParams(all) }
}

const isWord = (value: string): boolean => /^[\w.-]*$/.test(value)
