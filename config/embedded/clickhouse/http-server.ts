/**
 * The HTTP interface of the embedded ClickHouse engine, sufficient for @clickhouse/client, curl and BI tools. Whoever
 * can reach the socket has full access; a request to `/analyst` has an analyst's rights in the database it names.
 * Requests do not affect later ones: no setting, parameter or database remains, nor the partial output of a failed
 * query.
 *
 *     http-server.ts <data folder> <socket> <database> <server config> <milliseconds an analyst's query may run>
 */
import { Session, drainPending } from 'chdb'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { binaryRows, incomingFolder, withRowsInFile, type BinaryRows } from './binary-insert.ts'
import * as clickhouse from './clickhouse.ts'
import { pack } from './compression.ts'
import { Intake, type RequestContent } from './request-content.ts'
import { nativeOf } from './native.ts'
import { refuseOutside } from './external-access.ts'
import { ANALYST_SESSIONS, analystRole, orgPrefix } from './users.ts'
import { OUTLIVED_HEADER, refusal, statusOf } from './error-codes.ts'

/** A statement with its rows, parameters, settings and database. */
interface Call extends clickhouse.Statement {
  readonly binary: BinaryRows | undefined
  readonly params: ReadonlyMap<string, string>
  settings: Map<string, string>
  readonly database: string
  /** Whether it runs with an analyst's rights. */
  readonly isAnalyst: boolean
  readonly format: string
  /** The client's protocol revision; 0 if the client does not state one. */
  readonly revision: number
}

interface Answer {
  readonly body: Buffer
  readonly summary: Readonly<Record<string, number>>
}

interface Slot {
  session: Session
  /** Parameters set by earlier calls. The engine can only set them to empty, not remove them. */
  readonly stale: Set<string>
}

const [dir = '', socket = '', database = '', config = '', outlivedMs = ''] = process.argv.slice(2)
const gzip = promisify<Buffer, Buffer>(zlib.gzip)
const incoming = incomingFolder(dir)
/** Maximum bytes of one body, and of all requests in progress. */
const intake = new Intake(clickhouse.BODY_MAX_BYTES, 512 * 2 ** 20)
const WAITING_MAX = 1_000
/** Path for analysts' queries. */
const ANALYST = '/analyst'
/**
 * Milliseconds an analyst's query may run: three times its own limit. The engine checks limits and KILL QUERY only
 * between blocks, so a query that works longer within one block can only be stopped by ending the engine.
 */
const OUTLIVED_MS = Number(outlivedMs)

/** A fixed number of sessions. Each runs one call at a time, in order of arrival. */
class Pool {
  readonly #open: () => Session
  readonly #idle: Slot[] = []
  readonly #waiting = new Set<(slot: Slot) => void>()

  constructor(size: number, open: () => Session) {
    this.#open = open
    while (this.#idle.length < size) this.#idle.push({ session: open(), stale: new Set() })
  }

  async run(call: Call, gone: AbortSignal): Promise<Answer> {
    const slot = this.#idle.pop() ?? (await this.#wait(gone))
    try {
      const missing = [...slot.stale].some((name) => !call.params.has(name) && clickhouse.mentions(call.sql, name))
      if (missing) this.#renew(slot)
      const answer = await inTime(call, execute(slot, call))
      void clean(slot, call)
        .catch(() => this.#renew(slot))
        .finally(() => this.#give(slot))
      return answer
    } catch (error) {
      if (error instanceof OutlivedError) throw error
      // Otherwise the partial output of the failed query would begin the session's next answer.
      this.#renew(slot)
      this.#give(slot)
      throw error
    }
  }

  close(): void {
    for (const { session } of this.#idle) session.close()
  }

  #wait(gone: AbortSignal): Promise<Slot> {
    if (this.#waiting.size >= WAITING_MAX) throw refusal(202, 'Too many queries are waiting.')
    return new Promise((resolve, reject) => {
      this.#waiting.add(resolve)
      gone.addEventListener(
        'abort',
        () => this.#waiting.delete(resolve) && reject(new Error('The client closed the connection.')),
      )
    })
  }

  #give(slot: Slot): void {
    const [next] = this.#waiting
    if (next) this.#waiting.delete(next)
    if (next) next(slot)
    else this.#idle.push(slot)
  }

  /** Takes 0.25 ms. If the engine cannot open a session, the process ends and is restarted. */
  #renew(slot: Slot): void {
    try {
      slot.session.close()
      slot.session = this.#open()
      slot.stale.clear()
    } catch (error) {
      process.stderr.write(`${String(error)}\n`)
      process.exit(1)
    }
  }
}

/** An analyst's query that cannot be stopped: the engine must be ended. */
class OutlivedError extends Error {}

async function inTime(call: Call, work: Promise<Answer>): Promise<Answer> {
  if (!call.isAnalyst) return work
  const { promise, reject } = Promise.withResolvers<never>()
  const { message } = refusal(
    159,
    'Timeout exceeded: the query was stopped together with the engine. (TIMEOUT_EXCEEDED)',
  )
  const late = setTimeout(() => reject(new OutlivedError(message)), OUTLIVED_MS)
  return Promise.race([work, promise]).finally(() => clearTimeout(late))
}

async function execute(slot: Slot, call: Call): Promise<Answer> {
  if (call.sql.includes('\0')) throw refusal(62, 'A statement cannot contain a NUL character; bind it as a parameter.')
  for (const name of call.params.keys()) slot.stale.add(name)
  if (call.isAnalyst)
    await slot.session.queryAsync(`USE ${clickhouse.quoteIdentifier(call.database)}; SET ROLE ${analystRole}`)
  // Settings come after parameters: once `readonly` is set, nothing else can be set.
  const params = [...call.params].map(([name, value]): [string, string] => [`param_${name}`, clickhouse.literal(value)])
  const settings = [...call.settings].map(([name, value]): [string, string] => [name, clickhouse.literal(value)])
  await slot.session.queryAsync(
    clickhouse.setting(call.isAnalyst || call.database === database ? undefined : call.database, [
      ...params,
      ...settings,
    ]),
  )
  if (call.rows) {
    const { rowsWritten, bytesWritten, elapsed } = await slot.session.insert(call.rows)
    const summary = { written_rows: rowsWritten, written_bytes: bytesWritten, elapsed_ns: elapsed * 1e9 }
    return { body: Buffer.alloc(0), summary }
  }
  if (call.binary) {
    const { elapsed } = await withRowsInFile(incoming, call.binary, (sql) => slot.session.queryAsync(sql))
    return { body: Buffer.alloc(0), summary: { elapsed_ns: elapsed * 1e9 } }
  }
  const result = await slot.session.queryAsync(call.sql, { format: call.format })
  const bytes = result.bytes()
  // The engine reports the size of the result, not of what it read. Drivers expect a row only if some were read.
  const [rows, size] = [result.rowsRead, result.bytesRead]
  const read = { read_rows: rows, read_bytes: size, result_rows: rows, result_bytes: size }
  const summary = { ...read, elapsed_ns: result.elapsed * 1e9 }
  return { body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), summary }
}

/** Resets what a call has set. @throws Error if the session cannot be reset and must be replaced */
async function clean(slot: Slot, { sql, rows, params, settings, database: chosen }: Call): Promise<void> {
  if (settings.has('readonly') || (!rows && /\b(set|use|temporary)\b/i.test(sql))) throw new Error('must be replaced')
  const emptied = [...params.keys()].map((name): [string, string] => [`param_${name}`, "''"])
  const defaults = [...settings.keys()].map((name): [string, string] => [
    name,
    clickhouse.SESSION_DEFAULTS.get(name) ?? 'DEFAULT',
  ])
  await slot.session.queryAsync(
    clickhouse.setting(chosen === database ? undefined : database, [...emptied, ...defaults]),
  )
}

const working = new Set<Promise<unknown>>()

/** Builds a call from a request's URL, headers and body. */
function readCall(req: http.IncomingMessage, url: URL, { body, fields, isForm }: RequestContent): Call {
  const named = new Map(fields)
  const { params, settings } = clickhouse.readFields(fields)
  const query = named.get('query') ?? ''
  const isAnalyst = url.pathname === ANALYST
  const binary = isForm || isAnalyst ? undefined : binaryRows(query, body)
  const call = {
    ...(binary ? { sql: query } : clickhouse.readStatement(query, body)),
    binary,
    params,
    settings,
    isAnalyst,
    database: named.get('database') ?? header(req, 'x-clickhouse-database') ?? database,
    format: named.get('default_format') ?? header(req, 'x-clickhouse-format') ?? 'TabSeparated',
    revision: Number(named.get('client_protocol_version')) || 0,
  }
  if (!call.rows) refuseOutside(call.sql)
  return call
}

function header({ headers }: http.IncomingMessage, name: string): string | undefined {
  return headers[name]?.toString()
}

async function handle(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://door')
  if (url.pathname === '/ping') return send(req, res, 200, Buffer.from('Ok.\n'))
  if (!['', '/', ANALYST].includes(url.pathname)) return send(req, res, 404, Buffer.from('Not found.\n'))
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  try {
    await intake.take(req, url, (carried) => answer(req, res, url, readCall(req, url, carried), gone.signal))
  } catch (error) {
    const isOutlived = error instanceof OutlivedError
    if (isOutlived) setTimeout(die, 1_000)
    // The gate then makes the organization's next queries wait.
    if (isOutlived) res.setHeader(OUTLIVED_HEADER, '1')
    await fail(req, res, url, withoutFolder(url, error as Error))
    if (isOutlived) die()
  }
}

/**
 * Kills the process, because an orderly end would wait for the query that cannot be stopped. Acknowledged data is on
 * disk; the supervisor restarts the process.
 */
function die(): void {
  process.stderr.write('an analyst query ran past its time limit\n')
  process.kill(process.pid, 'SIGKILL')
}

/** Analysts must not see where the product is installed. */
function withoutFolder({ pathname }: URL, error: Error): Error {
  if (pathname !== ANALYST) return error
  error.message = error.message.replaceAll(path.dirname(dir), '')
  return error
}

async function answer(
  req: http.IncomingMessage,
  res: http.ServerResponse,
  url: URL,
  call: Call,
  gone: AbortSignal,
): Promise<void> {
  const found = await poolFor(call, req).run(call, gone)
  const format = /\bFORMAT\s+(\w+)(?:\s+SETTINGS\s[^()]*)?\s*;?\s*$/i.exec(call.sql)?.[1] ?? call.format
  const summary = Object.entries(found.summary).map(([name, n]) => [name, String(Math.round(n))])
  const body = format.toLowerCase() === 'native' ? nativeOf(found.body, call.revision) : found.body
  const bytes = await packedFor(url, body)
  res.setHeader('X-ClickHouse-Format', format)
  res.setHeader('X-ClickHouse-Query-Id', url.searchParams.get('query_id') ?? randomUUID())
  res.setHeader('X-ClickHouse-Server-Display-Name', 'tidemark')
  res.setHeader('X-ClickHouse-Timezone', 'UTC')
  res.setHeader('X-ClickHouse-Summary', JSON.stringify(Object.fromEntries(summary)))
  res.setHeader('Content-Type', format.startsWith('JSON') ? 'application/json; charset=UTF-8' : 'text/plain')
  await send(req, res, 200, bytes, url.searchParams.get('enable_http_compression') === '1')
}

function poolFor(call: Call, req: http.IncomingMessage): Pool {
  if (call.isAnalyst) {
    call.settings.set('readonly', '1')
    return pools.analysts
  }
  // As in a ClickHouse server, a GET changes nothing.
  if (req.method === 'GET') call.settings.set('readonly', '2')
  return call.rows || call.binary ? pools.writers : pools.readers
}

/** Compresses the answer in ClickHouse's own format if requested, independently of HTTP compression. */
async function packedFor({ searchParams }: URL, bytes: Buffer): Promise<Buffer> {
  return searchParams.get('compress') === '1'
    ? pack(bytes, searchParams.get('network_compression_method') ?? undefined)
    : bytes
}

async function fail(req: http.IncomingMessage, res: http.ServerResponse, url: URL, error: Error): Promise<void> {
  const message = error.message.replace(/^.*?(?=Code: \d+)/s, '')
  const code = Number(/^Code: (\d+)/.exec(message)?.[1] ?? 1002)
  const status = statusOf(code)
  res.setHeader('X-ClickHouse-Exception-Code', code)
  res.setHeader('Content-Type', 'text/plain; charset=UTF-8')
  // The rest of a refused body is not read.
  if (!req.complete) res.setHeader('Connection', 'close')
  const text = Buffer.from(`${message}\n`)
  // As in a ClickHouse server, an access error is sent uncompressed, because nothing in the request is trusted.
  await send(req, res, status, status === 403 ? text : await packedFor(url, text))
}

async function send(req: http.IncomingMessage, res: http.ServerResponse, status: number, body: Buffer, pack = false) {
  const packed = pack && /\bgzip\b/.test(String(req.headers['accept-encoding']))
  if (packed) res.setHeader('Content-Encoding', 'gzip')
  const bytes = packed ? await gzip(body) : body
  res.writeHead(status, { 'Content-Length': bytes.length }).end(bytes)
  await finished(res).catch(() => {})
}

function names(sql: string): string[] {
  return keeper.query(sql, 'TabSeparatedRaw').split('\n').filter(Boolean)
}

function open(): Session {
  const session = connect()
  session.query(clickhouse.setting(database, [...clickhouse.SESSION_DEFAULTS]))
  return session
}

function connect(): Session {
  return new Session(dir, { connectionArgs: [`--config-file=${config}`] })
}

/**
 * Waits until queries in progress are answered, then closes the engine; the supervisor kills a process that takes too
 * long.
 */
async function close(): Promise<void> {
  server.close()
  await Promise.all(working)
  await drainPending()
  for (const pool of Object.values(pools)) pool.close()
  keeper.close()
  process.exit(0)
}

/** Keeps the engine open while sessions are opened and closed. */
const keeper = connect()
keeper.query(`CREATE DATABASE IF NOT EXISTS ${clickhouse.quoteIdentifier(database)} ENGINE = Atomic`)
// Databases in memory are listed again after a restart, with views that may be from an earlier version.
for (const name of names(`SELECT name FROM system.databases WHERE startsWith(name, '${orgPrefix}')`))
  keeper.query(`DROP DATABASE ${clickhouse.quoteIdentifier(name)}`)
/** Separate pools, so that reports never delay the lanes' inserts. */
const pools = {
  readers: new Pool(4, open),
  writers: new Pool(4, open),
  analysts: new Pool(ANALYST_SESSIONS, open),
}
const server = http.createServer({ maxHeaderSize: 2 ** 20, keepAliveTimeout: 30_000 }, (req, res) => {
  const work = handle(req, res)
    .catch(() => res.destroy())
    .finally(() => working.delete(work))
  working.add(work)
})
// Left by a killed process.
fs.rmSync(socket, { force: true })
server.listen(socket, () => {
  fs.chmodSync(socket, 0o600)
  process.stdout.write('ready\n')
})
process.once('SIGTERM', () => void close())
