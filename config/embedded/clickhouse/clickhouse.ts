/**
 * Embedded ClickHouse: the engine runs in its own process behind an HTTP server on a private socket (http-server.ts).
 */
import type { RawInsertFormat } from 'chdb'
import fs from 'node:fs'
import path from 'node:path'
import { organizationTables } from '#analytics/store/tenancy.ts'
import { socketUrl } from './address.ts'
import { supervise, type Log } from '#config/embedded/child.ts'
import { pidFileOf } from '#config/embedded/port.ts'
import { ownSocket } from './socket.ts'
import { escapeXml, usersFile } from './users.ts'
import { refusal } from './error-codes.ts'

export interface StartedClickHouse {
  /** Address of the private socket for reads and writes (format: see `address.ts`). */
  readonly url: string
  readonly database: string
  pid(): number | undefined
  stop(): Promise<void>
}

export interface ClickHouseOptions {
  readonly log: Log
  readonly database?: string
  /** The engine's memory limit for all queries and caches together, in bytes; 2 GB by default. */
  readonly memoryBytes?: number | undefined
  /**
   * Milliseconds after which the engine is ended because an analyst's query ignored its own limit; 30,000 by default.
   */
  readonly outlivedMs?: number
}

/** Maximum bytes of a request body. */
export const BODY_MAX_BYTES = 100 * 2 ** 20

/**
 * Rewrites of queries that are off: the engine walks the whole query once for each, which in reports that are many steps
 * deep takes up to 40 % of the time, and our queries are written as they would be rewritten.
 */
const REWRITES_OFF =
  `aggregators_of_group_by_keys and_compare_chain arithmetic_operations_in_aggregate_functions dictget_tuple_element
   empty_string_comparisons extract_common_expressions group_by_constant_keys group_by_function_keys
   injective_functions_in_group_by injective_functions_in_limit_by injective_functions_inside_uniq
   inverse_dictionary_lookup limit_by_function_keys multiif_to_if normalize_count_variants or_like_chain
   redundant_comparisons redundant_functions_in_order_by rewrite_aggregate_function_with_if
   rewrite_array_exists_to_has rewrite_has_to_in rewrite_like_perfect_affix rewrite_regexp_functions
   rewrite_sum_if_to_count_if syntax_fuse_functions time_filter_with_preimage truncate_order_by_after_group_by_keys
   uniq_to_count`.split(/\s+/)

/**
 * Uses after which the engine compiles an expression, a group or an order: 3 by default, which in small answers costs
 * more time (8 to 14 % of all of it) than compiled code ever saves. Large ones that are asked all day still get it.
 */
const USES_BEFORE_COMPILING = '1000'

/**
 * Settings of every session. Inserts are synchronous, so that a batch is on disk when it is answered. A query may use a
 * thread for every 128 MiB of free memory: with the engine's default of 1 GiB, a limit of 2 GB would mean one thread
 * for everything.
 */
export const SESSION_DEFAULTS: ReadonlyMap<string, string> = new Map([
  ['async_insert', '0'],
  ['max_threads_min_free_memory_per_thread', String(128 * 2 ** 20)],
  ['max_query_size', String(BODY_MAX_BYTES)],
  ...['expression', 'aggregate_expression', 'sort_description'].map((what): [string, string] => [
    `min_count_to_compile_${what}`,
    USES_BEFORE_COMPILING,
  ]),
  ...REWRITES_OFF.map((name): [string, string] => [`optimize_${name}`, '0']),
])

/** An insert and its rows, as the engine's insert function takes them. */
export interface InsertedRows {
  readonly table: string
  readonly columns?: string[]
  readonly settings: Record<string, string | number>
  readonly format: RawInsertFormat
  readonly values: Buffer
}

export interface Statement {
  readonly sql: string
  /** Rows in the format that the statement names; undefined if the statement is complete without them. */
  readonly rows?: InsertedRows
}

/** Names of URL fields that are neither settings nor parameters. */
const PLAIN = new Set(
  `query query_id database user password role session_id session_timeout session_check close_session default_format
   compress decompress network_compression_method network_zstd_compression_level client_protocol_version buffer_size
   wait_end_of_query enable_http_compression send_progress_in_http_headers http_headers_progress_interval_ms quota_key
   stacktrace`.split(/\s+/),
)
const NAME = '(?:`\\w+`|"\\w+"|\\w+)'
const SETTING = "(\\w+)\\s*=\\s*(?:'([^'\\\\]*)'|([\\d.]+))"
/** Matches an insert with separate rows: table, columns, settings, format. Other forms go to the engine as they are. */
const INSERT = new RegExp(
  `^\\s*INSERT\\s+INTO\\s+(?:TABLE\\s+)?(?<table>(?:${NAME}\\.)?${NAME})\\s*(?:\\((?<columns>[\\s\\w,\`"]+)\\)\\s*)?` +
    `(?:SETTINGS\\s+(?<settings>${SETTING}(?:\\s*,\\s*${SETTING})*)\\s+)?` +
    `FORMAT\\s+(?<format>(?:JSON|JSONCompact)EachRow|(?:CSV|TSV|TabSeparated)(?:WithNames)?)\\b` +
    `[ \\t]*(?:;?\\s*$|\\r?\\n?)`,
  'i',
)

/** Threads of libuv, which the engine's queries occupy: more than the sixteen sessions of the HTTP server. */
const THREADS = 20

/** Starts ClickHouse on the folder and creates its database. @throws Error with its output if it fails */
export async function startClickHouse(dir: string, options: ClickHouseOptions): Promise<StartedClickHouse> {
  const { log, database = 'tidemark', memoryBytes = 2_000_000_000, outlivedMs = 30_000 } = options
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
  // The folder may already exist with wider rights, and whoever can enter it has full access.
  fs.chmodSync(dir, 0o700)
  const [config, users] = [path.join(dir, 'server.xml'), path.join(dir, 'users.xml')]
  fs.writeFileSync(users, usersFile(database, organizationTables()), { mode: 0o600 })
  fs.writeFileSync(config, configure(memoryBytes, users))
  // UTC, so that days do not depend on the machine's time zone.
  const environment = ['/usr/bin/env', '-u', 'NODE_OPTIONS', 'TZ=UTC', `UV_THREADPOOL_SIZE=${THREADS}`]
  const door = path.join(import.meta.dirname, 'http-server.ts')
  const socket = ownSocket(dir)
  const args = [path.join(dir, 'data'), socket.file, database, config, String(outlivedMs)]
  try {
    const server = await supervise({
      name: 'clickhouse',
      command: [...environment, process.execPath, '--disable-warning=ExperimentalWarning', door, ...args],
      cwd: dir,
      ready: /^ready$/m,
      pidFile: pidFileOf(dir),
      log,
    })
    const stop = () => server.stop().finally(() => socket.remove())
    return { url: socketUrl(socket.file), database, pid: () => server.pid(), stop }
  } catch (error) {
    socket.remove()
    throw error
  }
}

/** Splits request fields into parameters and settings. @throws Error for a field that can be neither */
export function readFields(fields: readonly [string, string][]) {
  const free = fields.filter(([name]) => !PLAIN.has(name))
  const odd = free.find(([name]) => !/^\w+$/.test(name))
  if (odd) throw refusal(36, `${odd[0]} is not a valid name.`)
  const isParam = ([name]: readonly [string, string]): boolean => name.startsWith('param_')
  const params = free.filter(isParam).map(([name, value]): [string, string] => [name.slice('param_'.length), value])
  return { params: new Map(params), settings: new Map(free.filter((field) => !isParam(field))) }
}

/**
 * Splits a request into its statement and, for an insert, its rows. The statement may be separate (`query`) or begin
 * the body.
 */
export function readStatement(query: string, body: Buffer): Statement {
  // Only the head of the insert is examined, so the encoding of the rows does not matter.
  const insert = INSERT.exec(query || body.subarray(0, 65_536).toString('latin1'))
  if (insert && query === '') return { sql: insert[0], rows: rowsOf(insert, body.subarray(insert[0].length)) }
  if (insert?.[0].length === query.length) return { sql: query, rows: rowsOf(insert, body) }
  return { sql: query && body.length > 0 ? `${query}\n${body.toString()}` : query || body.toString() }
}

function rowsOf({ groups = {} }: RegExpExecArray, values: Buffer): InsertedRows {
  const { table = '', columns, settings = '', format } = groups
  const bare = (name: string): string => name.trim().replace(/[`"]/g, '')
  const pairs = [...settings.matchAll(new RegExp(SETTING, 'g'))]
  return {
    table: bare(table),
    ...(columns ? { columns: columns.split(',').map(bare) } : {}),
    settings: Object.fromEntries(pairs.map(([, name, text, number]) => [name, text ?? Number(number)])),
    format: format as RawInsertFormat,
    values,
  }
}

/** Whether a statement uses the parameter `name`. */
export function mentions(sql: string, name: string): boolean {
  return new RegExp(`\\{\\s*${name}\\s*:`).test(sql)
}

export function literal(value: string): string {
  return `'${value.replace(/[\\']/g, '\\$&').replaceAll('\0', '\\0')}'`
}

export function quoteIdentifier(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&')}\``
}

/**
 * Statements that select a database and set settings; empty if there is nothing to do. Values must be SQL literals.
 * Settings after `readonly` get a separate statement, because the engine checks the settings of one statement against
 * the state before it.
 */
export function setting(use: string | undefined, pairs: readonly [string, string][]): string {
  const end = pairs.findIndex(([name]) => name === 'readonly') + 1
  const groups = [pairs.slice(0, end), pairs.slice(end)].filter((group) => group.length > 0)
  const set = groups.map((group) => `SET ${group.map(([name, value]) => `${name} = ${value}`).join(', ')}`)
  return [...(use === undefined ? [] : [`USE ${quoteIdentifier(use)}`]), ...set].join('; ')
}

/**
 * With the engine's defaults a power cut loses acknowledged inserts, and a table with many broken parts no longer
 * opens. These settings sync every insert and merge before it is answered, and open whatever is left.
 */
function configure(memoryBytes: number, users: string): string {
  const mergeTree = {
    fsync_after_insert: 1,
    fsync_part_directory: 1,
    min_rows_to_fsync_after_merge: 1,
    min_compressed_bytes_to_fsync_after_merge: 1,
    max_suspicious_broken_parts: 1_000_000,
    max_suspicious_broken_parts_bytes: 1_000_000_000_000,
  }
  const server = { max_server_memory_usage: memoryBytes, mark_cache_size: 268_435_456 }
  const named = { display_name: 'tidemark', users_config: escapeXml(users) }
  return `<clickhouse>${elements({ ...server, ...named })}<merge_tree>${elements(mergeTree)}</merge_tree></clickhouse>\n`
}

function elements(values: Readonly<Record<string, number | string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('')
}
