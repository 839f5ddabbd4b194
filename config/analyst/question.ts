/** A question of an analyst, made into the request that ClickHouse gets: nothing of who asks is in it. */
import type { RequestContent } from '#config/embedded/clickhouse/request-content.ts'
import { analystSettings, limits } from '#config/analyst/limits.ts'
import { analystStatement, refuseOthers, refusePaths, type Statement } from '#config/analyst/statement.ts'
import { refusal } from '#config/embedded/clickhouse/error-codes.ts'

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
  { body, fields }: RequestContent,
  format: string | undefined,
  databases: ReadonlySet<string>,
): Question {
  const named = new Map(fields)
  const query = named.get('query') ?? ''
  const text = [query, body.toString()].filter((part) => part !== '').join('\n')
  const params = fields.filter(([name]) => name.startsWith('param_'))
  const odd = params.find(([name]) => !/^\w+$/.test(name))
  if (odd) throw refusal(36, `${odd[0]} is not a valid name.`)
  refuseOthers(
    params.map(([, value]) => value),
    databases,
  )
  if (format !== undefined && !named.has('default_format')) named.set('default_format', format)
  // It stands in a header of the answer; another is made where it cannot.
  if (!isWord(named.get('query_id') ?? '')) named.delete('query_id')
  const written = [...named].filter(([name]) => writing.has(name))
  const strange = written.find(([, value]) => !isWord(value))
  if (strange) throw refusal(36, `${strange[0]} is not a valid word.`)
  const statement = analystStatement(text, databases)
  refusePaths(
    statement.text,
    params.map(([, value]) => value),
  )
  for (const name of [statement.format, named.get('default_format')]) refuseCounting(name ?? '')
  const sql = toEngineSql(statement)
  const all = [...params, ...written, ...analystSettings(named)]
  return { sql, fields: new URLSearchParams(all) }
}

/** Formats that write between the rows, or at their end, what the engine read for them. */
const counting = /withprogress$|^jsoncolumnswithmetadata$/i

function refuseCounting(format: string): void {
  if (counting.test(format)) throw refusal(164, `Analysts: the format ${format} is not allowed. (READONLY)`)
}

/**
 * A question as the engine gets it. The blocks it would answer in begin and end where blocks of the tables do, which hold rows of
 * other organizations too: sizes of blocks in Native, Arrow or Pretty, and `rows_before_limit_at_least`, would count these. Sorted by
 * their place in the one stream that LIMIT BY leaves, the rows keep their order and are in blocks of `max_block_size`.
 */
function toEngineSql({ text, format, isQuestion }: Statement): string {
  const end = format === undefined ? '' : ` FORMAT ${format}`
  if (!isQuestion) return text + end
  const most = limits.max_result_rows + 1
  return `SELECT * FROM (SELECT * FROM (${text}) LIMIT ${most} BY tuple() LIMIT ${most}) ORDER BY rowNumberInAllBlocks()${end}`
}

const isWord = (value: string): boolean => /^[\w.-]*$/.test(value)
