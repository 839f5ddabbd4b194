import { readFileSync } from 'node:fs'
import { ClickHouseError, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client'
import { Fault } from '#engine/value/fault.ts'
import { decoder, type Static, type TObject } from '#engine/value/schema.ts'
import { filled } from '#analytics/store/compose.ts'
import { slices, type SliceColumn } from '#analytics/store/slice.ts'

/** A read of ClickHouse: the SQL lives in `<name>.sql` beside the module that declares its parameters and row shape. */
export interface Query<P extends TObject = TObject, R extends TObject = TObject> {
  name: string
  params: P
  row: R
  /** Parameters that work: what the tests run it with, and what a reader tries first. */
  example: Static<P>
  /** Never answered from what is kept: it says whether anything has changed. */
  isFresh: boolean
  /** Whether it tells no two days of a month apart with these parameters: what was added up by month answers it then. */
  isByMonth: (params: Readonly<Record<string, unknown>>) => boolean
  /** As it stands in the file: the fullest form, for all parameters. */
  sql: string
  /** What these parameters need to be known, of what the text has parts for. */
  factsFor: (params: Readonly<Record<string, unknown>>) => readonly string[]
  /** The text that answers these parameters soonest. */
  textFor: (params: Readonly<Record<string, unknown>>) => string
  decode: (row: unknown) => Static<R>
}

/** What a question reads of a slice, whatever its parameters are. */
export interface Reading {
  needs?: readonly SliceColumn[]
  /** Its parameters that hold the name of a column. */
  columns?: readonly string[]
  isFresh?: boolean
  /** `monthly`: with that granularity. */
  isByMonth?: boolean | 'monthly'
}

/** Texts of one question that are kept: more combinations of filters than anyone asks. */
const textsMax = 200

/** What declares the questions of a capability: the SQL of each lies beside the module at `url`. */
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
      ...filled(given),
    ]
    return {
      name,
      params,
      row,
      example,
      isFresh,
      isByMonth: (given) => isByMonth === true || (isByMonth === 'monthly' && given['granularity'] === 'monthly'),
      sql,
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

/** Bounds of every question asked for a person: 30 s, 1 GiB, 100,000 rows. Planning alone takes seconds where the machine is busy. */
const bounds = { max_execution_time: 30, max_memory_usage: '1073741824', max_result_rows: '100000' } as const

/** Codes of ClickHouse for a question beyond its bounds: rows (158, 396), time (159, 160), memory (241). */
const tooLarge = new Set(['158', '159', '160', '241', '396'])

/**
 * Runs `q`, within `more` bounds where given, and decodes every row. Decimals come as text where the SQL leaves them Decimal. Rows are few by design.
 * @throws Fault `refused` `report_too_large` beyond the bounds, `transient` `unavailable` when the server has no memory left
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

/** Bounds of what is read row by row: 2 minutes, 1 GiB; groups and orders beyond 256 MiB go through the disk. */
const streamBounds = {
  max_execution_time: 120,
  max_memory_usage: bounds.max_memory_usage,
  max_bytes_before_external_group_by: '268435456',
  max_bytes_before_external_sort: '268435456',
} as const

/**
 * Runs `q` and gives its rows as they come, each the values of its columns in their order, never held together. Decimals come
 * as text where the SQL leaves them Decimal; nothing is decoded: a test proves the columns.
 * @throws as `run`, at whatever row it comes to
 */
export async function* stream<P extends TObject, R extends TObject>(
  ch: ClickHouseClient,
  q: Query<P, R>,
  params: Static<P>,
): AsyncGenerator<readonly unknown[], void> {
  for await (const rows of unread(ch, q, params)) for (const row of rows) yield row.json()
}

/** As `stream`, some rows at a time, each still the JSON text of its list of values: for whoever reads them elsewhere. */
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

/** Texts of one parameter, and their bytes: a server takes 128 KiB, and escapes may double them. */
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

/** `(total)` is the memory of the whole server: others' doing, and soon over. */
function faultOf(error: unknown): unknown {
  if (!(error instanceof ClickHouseError) || !tooLarge.has(error.code)) return error
  if (error.message.includes('(total)')) return Fault.transient('unavailable', 'The store is busy.', error)
  const message = 'The report is too large. Use a shorter range or more filters.'
  return new Fault('refused', 'report_too_large', message, {}, error)
}
