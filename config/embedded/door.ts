/**
 * ClickHouse's HTTP interface, enough of it for @clickhouse/client, curl and BI tools, before the engine in this process.
 * No request leaves anything to the next: no setting, parameter or database, nor what a failed query had put out.
 *
 *     door.ts <data folder> <port> <database> <server config>
 */
import { Session, drainPending } from 'chdb'
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { binaryRows, incomingFolder, withRowsInFile, type BinaryRows } from './binary-insert.ts'
import * as clickhouse from './clickhouse.ts'
import { pack, unpack } from './compressed.ts'
import { nativeOf } from './native.ts'

/** One statement with all that surrounds it. */
interface Call extends clickhouse.Statement {
  readonly binary: BinaryRows | undefined
  readonly params: ReadonlyMap<string, string>
  settings: Map<string, string>
  readonly database: string
  readonly format: string
  /** Of the protocol, as far as the client speaks it; 0 where it says nothing. */
  readonly revision: number
}

interface Answer {
  readonly body: Buffer
  readonly summary: Readonly<Record<string, number>>
}

interface Slot {
  session: Session
  /** Parameters set by earlier calls: the engine can only empty them, not unset them. */
  readonly stale: Set<string>
}

const [dir = '', port = '0', database = '', config = ''] = process.argv.slice(2)
const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip)
const gzip = promisify<Buffer, Buffer>(zlib.gzip)
const incoming = incomingFolder(dir)
/** All bodies in work at once. */
const HELD_MAX_BYTES = 512 * 2 ** 20
const WAITING_MAX = 1_000
/** The engine's codes by HTTP status; 500 for all others. */
const CODES = { 403: [164, 497], 404: [60, 81], 413: [223], 503: [202] }

/** A fixed number of sessions, each running one call at a time, in the order they came. */
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
      const answer = await execute(slot, call)
      void clean(slot, call)
        .catch(() => this.#renew(slot))
        .finally(() => this.#give(slot))
      return answer
    } catch (error) {
      // What a failed query had already put out would be the beginning of the session's next answer.
      this.#renew(slot)
      this.#give(slot)
      throw error
    }
  }

  close(): void {
    for (const { session } of this.#idle) session.close()
  }

  #wait(gone: AbortSignal): Promise<Slot> {
    if (this.#waiting.size >= WAITING_MAX) throw clickhouse.refusal(202, 'Too many queries wait.')
    return new Promise((resolve, reject) => {
      this.#waiting.add(resolve)
      gone.addEventListener('abort', () => this.#waiting.delete(resolve) && reject(new Error('The client went away.')))
    })
  }

  #give(slot: Slot): void {
    const [next] = this.#waiting
    if (next) this.#waiting.delete(next)
    if (next) next(slot)
    else this.#idle.push(slot)
  }

  /** Costs a quarter of a millisecond. An engine that opens no session is beyond help here: it is started again. */
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

async function execute(slot: Slot, call: Call): Promise<Answer> {
  if (call.sql.includes('\0')) throw clickhouse.refusal(62, 'A statement cannot hold a NUL: bind it.')
  for (const name of call.params.keys()) slot.stale.add(name)
  // Settings come after parameters: once `readonly` is set, nothing else can be.
  const params = [...call.params].map(([name, value]): [string, string] => [`param_${name}`, clickhouse.literal(value)])
  const settings = [...call.settings].map(([name, value]): [string, string] => [name, clickhouse.literal(value)])
  await slot.session.queryAsync(
    clickhouse.setting(call.database === database ? undefined : call.database, [...params, ...settings]),
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
  // The engine tells what the answer has and not what it took. Drivers look for a row only where one is told.
  const [rows, size] = [result.rowsRead, result.bytesRead]
  const read = { read_rows: rows, read_bytes: size, result_rows: rows, result_bytes: size }
  const summary = { ...read, elapsed_ns: result.elapsed * 1e9 }
  return { body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), summary }
}

/** Takes back what a call set. @throws when the session cannot be cleaned and must be replaced */
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

/** What the requests in work have sent, in bytes. */
let held = 0
const working = new Set<Promise<unknown>>()

async function readBody(req: http.IncomingMessage, url: URL, meter: { bytes: number }): Promise<Buffer> {
  const chunks: Buffer[] = []
  const count = (bytes: number): void => {
    meter.bytes += bytes
    held += bytes
    if (meter.bytes > clickhouse.BODY_MAX_BYTES) throw clickhouse.refusal(223, 'The body is over 100 MB.')
    if (held > HELD_MAX_BYTES) throw clickhouse.refusal(202, 'Too much is being sent.')
  }
  for await (const chunk of req as AsyncIterable<Buffer>) {
    count(chunk.length)
    chunks.push(chunk)
  }
  const sent = await decoded(req, Buffer.concat(chunks), count)
  if (url.searchParams.get('decompress') !== '1') return sent
  const unpacked = await unpack(sent, clickhouse.BODY_MAX_BYTES)
  count(unpacked.length - sent.length)
  return unpacked
}

async function decoded(req: http.IncomingMessage, body: Buffer, count: (bytes: number) => void): Promise<Buffer> {
  const encoding = req.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity' || body.length === 0) return body
  if (encoding !== 'gzip') throw clickhouse.refusal(36, `The encoding ${encoding} is not known: use gzip.`)
  const unpacked = await gunzip(body, { maxOutputLength: clickhouse.BODY_MAX_BYTES }).catch((error: Error) => {
    throw clickhouse.refusal(354, `The body cannot be unpacked: ${error.message}.`)
  })
  count(unpacked.length - body.length)
  return unpacked
}

/** Puts a request's statement, rows, parameters and settings together from its URL, headers and body. */
async function readCall(req: http.IncomingMessage, url: URL, meter: { bytes: number }): Promise<Call> {
  const body = await readBody(req, url, meter)
  const form = await readForm(req, body)
  const fields = [...url.searchParams, ...(form ?? [])]
  const named = new Map(fields)
  const { params, settings } = clickhouse.readFields(fields)
  const query = named.get('query') ?? ''
  const binary = form ? undefined : binaryRows(query, body)
  return {
    ...(binary ? { sql: query } : clickhouse.readStatement(query, form ? Buffer.alloc(0) : body)),
    binary,
    params,
    settings,
    database: named.get('database') ?? header(req, 'x-clickhouse-database') ?? database,
    format: named.get('default_format') ?? header(req, 'x-clickhouse-format') ?? 'TabSeparated',
    revision: Number(named.get('client_protocol_version')) || 0,
  }
}

function header({ headers }: http.IncomingMessage, name: string): string | undefined {
  return headers[name]?.toString()
}

/** The fields of a form, which carries parameters too long for a URL. */
async function readForm(req: http.IncomingMessage, body: Buffer): Promise<[string, string][] | undefined> {
  const type = req.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) return undefined
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  return [...form].map(([name, value]) => [name, typeof value === 'string' ? value : ''])
}

async function handle(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://door')
  const place = /^(?:\/readonly)?(\/ping|\/|$)$/.exec(url.pathname)?.[1]
  if (place === undefined) return send(req, res, 404, Buffer.from('There is nothing here.\n'))
  if (place === '/ping') return send(req, res, 200, Buffer.from('Ok.\n'))
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  const meter = { bytes: 0 }
  try {
    if (fromPage(req)) throw clickhouse.refusal(497, 'Web pages are not served here.')
    const call = await readCall(req, url, meter)
    const answer = await poolFor(call, req, url).run(call, gone.signal)
    const format = /\bFORMAT\s+(\w+)(?:\s+SETTINGS\s[^()]*)?\s*;?\s*$/i.exec(call.sql)?.[1] ?? call.format
    const summary = Object.entries(answer.summary).map(([name, n]) => [name, String(Math.round(n))])
    res.setHeader('X-ClickHouse-Format', format)
    res.setHeader('X-ClickHouse-Query-Id', url.searchParams.get('query_id') ?? randomUUID())
    res.setHeader('X-ClickHouse-Summary', JSON.stringify(Object.fromEntries(summary)))
    res.setHeader('Content-Type', format.startsWith('JSON') ? 'application/json; charset=UTF-8' : 'text/plain')
    const body = format.toLowerCase() === 'native' ? nativeOf(answer.body, call.revision) : answer.body
    await send(req, res, 200, await packedFor(url, body), url.searchParams.get('enable_http_compression') === '1')
  } catch (error) {
    await fail(req, res, url, error as Error)
  } finally {
    held -= meter.bytes
  }
}

function poolFor(call: Call, req: http.IncomingMessage, url: URL): Pool {
  if (url.pathname.startsWith('/readonly') || userOf(req, url) === 'analyst') {
    const reason = clickhouse.analystRefusal(call.sql)
    if (reason) throw clickhouse.refusal(164, `Analysts: ${reason}. (READONLY)`)
    call.settings = clickhouse.analystSettings(call.settings)
    return pools.analysts
  }
  // As with a server: a GET changes nothing.
  if (req.method === 'GET') call.settings.set('readonly', '2')
  return call.rows || call.binary ? pools.writers : pools.readers
}

/** A page in a browser can reach this machine's ports: what it sends names its origin, or a host that is not ours. */
function fromPage({ headers }: http.IncomingMessage): boolean {
  const host = (headers.host ?? '').replace(/:\d+$/, '')
  const site = headers['sec-fetch-site'] ?? 'none'
  return headers.origin !== undefined || site !== 'none' || !['127.0.0.1', 'localhost', '[::1]'].includes(host)
}

function userOf(req: http.IncomingMessage, url: URL): string | undefined {
  const basic = /^Basic (.+)$/.exec(req.headers.authorization ?? '')?.[1]
  if (basic) return Buffer.from(basic, 'base64').toString().split(':')[0]
  return header(req, 'x-clickhouse-user') ?? url.searchParams.get('user') ?? undefined
}

/** The bytes as the client wants them packed, beside what HTTP does. */
async function packedFor({ searchParams }: URL, bytes: Buffer): Promise<Buffer> {
  return searchParams.get('compress') === '1'
    ? pack(bytes, searchParams.get('network_compression_method') ?? undefined)
    : bytes
}

async function fail(req: http.IncomingMessage, res: http.ServerResponse, url: URL, error: Error): Promise<void> {
  const message = error.message.replace(/^.*?(?=Code: \d+)/s, '')
  const code = Number(/^Code: (\d+)/.exec(message)?.[1] ?? 1002)
  const status = Object.entries(CODES).find(([, codes]) => codes.includes(code))?.[0] ?? 500
  res.setHeader('X-ClickHouse-Exception-Code', code)
  res.setHeader('Content-Type', 'text/plain; charset=UTF-8')
  // The rest of a body that was refused is not read.
  if (!req.complete) res.setHeader('Connection', 'close')
  const text = Buffer.from(`${message}\n`)
  // As with a server: who may not is told in plain words, for nothing of his request counts.
  await send(req, res, Number(status), status === '403' ? text : await packedFor(url, text))
}

async function send(req: http.IncomingMessage, res: http.ServerResponse, status: number, body: Buffer, pack = false) {
  const packed = pack && /\bgzip\b/.test(String(req.headers['accept-encoding']))
  if (packed) res.setHeader('Content-Encoding', 'gzip')
  const bytes = packed ? await gzip(body) : body
  res.writeHead(status, { 'Content-Length': bytes.length }).end(bytes)
  await finished(res).catch(() => {})
}

function open(): Session {
  const session = connect()
  session.query(clickhouse.setting(database, [...clickhouse.SESSION_DEFAULTS]))
  return session
}

function connect(): Session {
  return new Session(dir, { connectionArgs: [`--config-file=${config}`] })
}

/** Queries in work are answered before the engine closes; the supervisor ends one that takes too long. */
async function close(): Promise<void> {
  server.close()
  await Promise.all(working)
  await drainPending()
  for (const pool of Object.values(pools)) pool.close()
  keeper.close()
  process.exit(0)
}

/** Its connection keeps the engine open while sessions come and go. */
const keeper = connect()
keeper.query(`CREATE DATABASE IF NOT EXISTS ${clickhouse.quoted(database)} ENGINE = Atomic`)
/** Apart from each other, so that reports never keep the lanes' inserts waiting. */
const pools = {
  readers: new Pool(4, open),
  writers: new Pool(4, open),
  analysts: new Pool(2, open),
}
const server = http.createServer({ maxHeaderSize: 2 ** 20, keepAliveTimeout: 30_000 }, (req, res) => {
  const work = handle(req, res)
    .catch(() => res.destroy())
    .finally(() => working.delete(work))
  working.add(work)
})
server.listen(Number(port), '127.0.0.1', () => process.stdout.write(`ready http://127.0.0.1:${port}\n`))
process.once('SIGTERM', () => void close())
