import { readFileSync } from 'node:fs'
import { ClickHouseError, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client'
import { Fault } from '#engine/value/fault.ts'
import { decoder, type Static, type TObject } from '#engine/value/schema.ts'
import { listFilledParams } from '#analytics/store/compose.ts'
import { slices, whereFact, type SliceColumn } from '#analytics/store/slice.ts'

/** A ClickHouse query: the SQL is in `<name>.sql` in the folder of the module that declares its parameters and row shape, or in a room of it. */
export interface Query<P extends TObject = TObject, R extends TObject = TObject> {
  name: string
  params: P
  row: R
  /** Valid parameters: used by tests, and a starting point for readers. */
  example: Static<P>
  /** Never answered from the cache, because it checks whether anything has changed. */
  isFresh: boolean
  /** Whether it distinguishes no days within a month with these parameters: it can then use monthly sums. */
  isByMonth: (params: Readonly<Record<string, unknown>>) => boolean
  /** As in the file: the fullest form, for all parameters. */
  sql: string
  /** Every fact that the text has parts for. */
  marks: () => readonly string[]
  /** The facts that these parameters need, among those the text has parts for. */
  factsFor: (params: Readonly<Record<string, unknown>>) => readonly string[]
  /** The fastest text for these parameters. */
  textFor: (params: Readonly<Record<string, unknown>>) => string
  decode: (row: unknown) => Static<R>
}

/** What a query reads of a slice, regardless of its parameters. */
export interface Reading {
  needs?: readonly SliceColumn[]
  /** Its parameters that contain a column name. */
  columns?: readonly string[]
  isFresh?: boolean
  /** `monthly`: only with that granularity. */
  isByMonth?: boolean | 'monthly'
}

/** Maximum cached texts of one query: more combinations of filters than anyone uses. */
const textsMax = 200

/** Declares the queries of a capability: the SQL of each is in the folder of `url`. */
export const questions =
  (url: string) =>
  <P extends TObject, R extends TObject>(
    name: string,
    params: P,
    row: R,
    example: Static<P>,
    { needs = [], columns = [], isFresh = false, isByMonth = false }: Reading = {},
  ): Query<P, R> => {
    const sql = readFileSync(new URL(`${name}.sql`, url), 'utf8')
    const composed = slices.later(name, sql, Object.keys(params.properties))
    const texts = new Map<string, string>()
    const asked = (given: Readonly<Record<string, unknown>>): string[] => [
      ...needs,
      ...columns.map((column) => String(given[column])),
      ...(Array.isArray(given['where_dims']) ? given['where_dims'].map(String).map(whereFact) : []),
      ...listFilledParams(given),
    ]
    return {
      name,
      params,
      row,
      example,
      isFresh,
      isByMonth: (given) => isByMonth === true || (isByMonth === 'monthly' && given['granularity'] === 'monthly'),
      sql,
      marks: () => composed.marks(),
      factsFor: (given) => composed.factsOf(asked(given)),
      textFor(given) {
        const names = asked(given)
        const key = composed.factsOf(names).join()
        const text = texts.get(key) ?? composed.textOf(names)
        if (texts.size >= textsMax) texts.clear()
        texts.set(key, text)
        return text
      },
      decode: decoder(row),
    }
  }

/** Limits of every query for a person: 30 s, 1 GiB, 100,000 rows. Planning alone takes seconds on a busy machine. */
const bounds = { max_execution_time: 30, max_memory_usage: '1073741824', max_result_rows: '100000' } as const

/** ClickHouse error codes for a query that exceeds its limits: rows (158, 396), time (159, 160), memory (241). */
const tooLarge = new Set(['158', '159', '160', '241', '396'])

/**
 * Runs `q`, with `more` limits if given, and decodes every row. Decimals are text if the SQL leaves them Decimal. Rows
 * are few by design.
 * @throws Fault `refused` `report_too_large` above the limits, `transient` `unavailable` if the server has no memory
 * left
 */
export async function run<P extends TObject, R extends TObject>(
  ch: ClickHouseClient,
  q: Query<P, R>,
  params: Static<P>,
  more: ClickHouseSettings = {},
): Promise<Static<R>[]> {
  try {
    const result = await ch.query({
      query: q.textFor(params),
      query_params: params as Record<string, unknown>,
      format: 'JSONEachRow',
      clickhouse_settings: {
        ...bounds,
        ...more,
        output_format_json_quote_decimals: 1,
        output_format_json_quote_64bit_integers: 0,
      },
    })
    return (await result.json<unknown>()).map(q.decode)
  } catch (error) {
    throw faultOf(error)
  }
}

/** Limits for streamed rows: 2 minutes, 1 GiB; groups and sorts above 256 MiB use the disk. */
const streamBounds = {
  max_execution_time: 120,
  max_memory_usage: bounds.max_memory_usage,
  max_bytes_before_external_group_by: '268435456',
  max_bytes_before_external_sort: '268435456',
} as const

/**
 * Runs `q` and returns its rows as they arrive, each as the values of its columns in order, never all in memory.
 * Decimals are text if the SQL leaves them Decimal; nothing is decoded: a test checks the columns.
 * @throws as `run`, at any row
 */
export async function* stream<P extends TObject, R extends TObject>(
  ch: ClickHouseClient,
  q: Query<P, R>,
  params: Static<P>,
): AsyncGenerator<readonly unknown[], void> {
  for await (const rows of unread(ch, q, params)) for (const row of rows) yield row.json()
}

/** Like `stream`, several rows at a time, each still as the JSON text of its values: for readers in another thread. */
export async function* texts<P extends TObject, R extends TObject>(
  ch: ClickHouseClient,
  q: Query<P, R>,
  params: Static<P>,
): AsyncGenerator<readonly string[], void> {
  for await (const rows of unread(ch, q, params)) yield rows.map(({ text }) => text)
}

interface Unread {
  text: string
  json: () => unknown[]
}

async function* unread<P extends TObject, R extends TObject>(
  ch: ClickHouseClient,
  q: Query<P, R>,
  params: Static<P>,
): AsyncGenerator<readonly Unread[], void> {
  try {
    const result = await ch.query({
      query: q.textFor(params),
      query_params: params as Record<string, unknown>,
      format: 'JSONCompactEachRow',
      clickhouse_settings: {
        ...streamBounds,
        output_format_json_quote_decimals: 1,
        output_format_json_quote_64bit_integers: 0,
      },
    })
    for await (const rows of result.stream<unknown[]>()) yield rows
  } catch (error) {
    throw faultOf(error)
  }
}

/** Maximum texts of one parameter, and their bytes: a server accepts 128 KiB, and escapes may double them. */
const countMax = 500
const bytesMax = 60_000

/** `items` in portions whose texts fit into one parameter. */
export function* portions<T>(items: Iterable<T>, textOf: (item: T) => string): Generator<T[]> {
  let portion: T[] = []
  let bytes = 0
  for (const item of items) {
    const size = Buffer.byteLength(textOf(item)) + 3
    if (portion.length === countMax || (portion.length > 0 && bytes + size > bytesMax)) {
      yield portion
      portion = []
      bytes = 0
    }
    portion.push(item)
    bytes += size
  }
  if (portion.length > 0) yield portion
}

/** `(total)` is the memory of the whole server: used by others, and soon free. */
function faultOf(error: unknown): unknown {
  if (!(error instanceof ClickHouseError) || !tooLarge.has(error.code)) return error
  if (error.message.includes('(total)')) return Fault.transient('unavailable', 'The store is busy.', error)
  const message = 'The report is too large. Use a shorter range or more filters.'
  return new Fault('refused', 'report_too_large', message, {}, error)
}
