/** Turns an analyst's request into the query that is sent to ClickHouse, without any credentials. */
import type { RequestContent } from '#config/embedded/clickhouse/request-content.ts'
import { analystSettings, limits } from '#config/analyst/limits.ts'
import { analystStatement, refuseOthers, refusePaths, type Statement } from '#config/analyst/statement.ts'
import { refusal } from '#config/embedded/clickhouse/error-codes.ts'

export interface Question {
  readonly sql: string
  /** For the URL: parameters, settings, and the format of the answer. */
  readonly fields: URLSearchParams
}

/** Fields that set the format and compression of the answer. */
const writing = new Set(
  'default_format compress network_compression_method client_protocol_version enable_http_compression query_id wait_end_of_query'.split(
    ' ',
  ),
)

/** `databases` are the databases that the caller may name. @throws Error in the engine's words */
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
  // The query id becomes a header of the answer. An unsuitable one is removed; the engine then makes one.
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

/** Formats that include, between or after the rows, how many rows the engine read. */
const counting = /withprogress$|^jsoncolumnswithmetadata$/i

function refuseCounting(format: string): void {
  if (counting.test(format)) throw refusal(164, `Analysts: the format ${format} is not allowed. (READONLY)`)
}

/**
 * The SQL sent to the engine. Without the wrapping, the blocks of the result would follow the blocks of the tables,
 * which contain rows of other organizations: block sizes in Native, Arrow or Pretty, and `rows_before_limit_at_least`,
 * would reveal their number. LIMIT BY leaves a single stream; sorting by the position in it keeps the order of the rows
 * and makes blocks of `max_block_size`.
 */
function toEngineSql({ text, format, isQuestion }: Statement): string {
  const end = format === undefined ? '' : ` FORMAT ${format}`
  if (!isQuestion) return text + end
  const most = limits.max_result_rows + 1
  return `SELECT * FROM (SELECT * FROM (${text}) LIMIT ${most} BY tuple() LIMIT ${most}) ORDER BY rowNumberInAllBlocks()${end}`
}

const isWord = (value: string): boolean => /^[\w.-]*$/.test(value)
