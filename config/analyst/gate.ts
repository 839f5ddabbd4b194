/**
 * The ClickHouse HTTP interface for analysts, read-only. An access token of scope analyst identifies the caller and
 * alone decides which rows are visible: databases, users, roles and sessions named in a request are ignored.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { finished, pipeline } from 'node:stream/promises'
import { Fault } from '#engine/value/fault.ts'
import { addressOf, blockOf } from '#http/identity/address.ts'
import { viewRightsOf } from '#http/identity/token/analyst-view.ts'
import { personOf, type Caller } from '#http/identity/organization/caller.ts'
import { hashOf } from '#http/identity/token/secret.ts'
import type { Limiter, Rate } from '#http/edge/limit/limit.ts'
import { tokenOf } from '#config/analyst/credentials.ts'
import type { AnalystDatabases } from '#config/analyst/database.ts'
import { openDatabases } from '#config/analyst/database-name.ts'
import type { QuestionOutcome } from '#config/analyst/measure.ts'
import { questionOf, type Question } from '#config/analyst/question.ts'
import { summaryOf, readFailureText } from '#config/analyst/failure-text.ts'
import type { UpstreamAnswer, Upstream } from '#config/analyst/upstream.ts'
import { ANALYST_SESSIONS } from '#config/embedded/clickhouse/users.ts'
import { Intake } from '#config/embedded/clickhouse/request-content.ts'
import { OUTLIVED_HEADER, refusal, statusOf } from '#config/embedded/clickhouse/error-codes.ts'
import { Turns, type Bounds } from '#config/wiring/turns.ts'

export interface AnalystServer {
  readonly databases: AnalystDatabases
  readonly upstream: Upstream
}

export interface GateOptions {
  readonly host: string
  readonly port: number
  /** @throws Fault if the token is not valid here */
  readonly callerOf: (token: string) => Promise<Caller>
  /** Whether the stores are complete, so that figures are correct. */
  readonly isWhole: () => boolean
  /** The ClickHouse server of an organization. @throws Error in the engine's words if it has no user for analysts */
  readonly serverOf: (orgId: string) => Promise<AnalystServer>
  /** Closes the connections to ClickHouse. */
  readonly disconnect: () => void
  /** Called when a query ends, with its outcome and its duration in seconds. */
  readonly note: (outcome: QuestionOutcome, seconds: number) => void
  readonly limiter: Limiter
  /** Limit of wrong tokens from a block of addresses. */
  readonly refused: Rate
  /** Number of reverse proxies whose X-Forwarded-For is trusted; 0 by default. */
  readonly trustedProxies?: number
}

export interface Gate {
  readonly url: string
  close(): Promise<void>
}

/** Bytes of statements and their parameters: `body` per request, `held` for all requests in progress. */
const bytesMax = { body: 16 * 2 ** 20, held: 128 * 2 ** 20 }
/** Bytes of a request's headers; the request line may contain the statement. */
const headBytesMax = 2 ** 20
/** Maximum remembered valid tokens. They are not slowed down by wrong tokens from the same address. */
const goodMax = 10_000
const idleMs = 30_000
const base = 'http://gate'
/**
 * How often an organization's query may force a restart of the engine. Above that, its queries are refused for ten
 * minutes.
 */
const outlivedRate: Rate = { name: 'outlived', perMinute: 0.1, burst: 1 }

/**
 * Two queries at once for each person and each organization. The second one starts only while half of the engine is
 * free, so that others do not wait.
 */
export const turnBounds: Bounds = {
  atOnce: 2,
  waiting: 50,
  asking: ANALYST_SESSIONS,
  seconds: ANALYST_SESSIONS / 2,
  full: () => refusal(202, 'Too many of your queries are waiting.'),
}

const wrongMany = (): Error => refusal(202, 'Too many failed sign-ins from your address. Wait a minute.')

/** Token lookups for addresses that sent too many wrong tokens: one at once for each address, eight in all. */
const lookupBounds: Bounds = { atOnce: 1, waiting: 100, asking: 8, seconds: 8, full: wrongMany }

/**
 * The headers of ClickHouse's answer that are passed to the client. Progress headers are not: they count rows of other
 * organizations too.
 */
const passedHeaders =
  /^(?:content-(?:type|encoding|length)|x-clickhouse-(?:exception-code|format|query-id|server-display-name|timezone))$/

/** Opens the port. @throws Error naming the address, if the port is in use or not permitted */
export async function openGate(options: GateOptions): Promise<Gate> {
  const { host, port } = options
  const asking = new GateHandler(options)
  const server = http.createServer({ maxHeaderSize: headBytesMax, keepAliveTimeout: idleMs }, (req, res) => {
    asking.answer(req, res).catch(() => res.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new Error(`cannot serve analysts on ${host}, port ${port}: ${cause.message}`, { cause })),
    )
    server.listen(port, host, resolve)
  })
  const name = host.includes(':') ? `[${host}]` : host
  const url = `http://${name}:${(server.address() as AddressInfo).port}`
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeIdleConnections()
    const late = setTimeout(() => server.closeAllConnections(), 10_000)
    await closed
    clearTimeout(late)
    options.disconnect()
  }
  return { url, close }
}

/** HEAD is used by clients that check whether the server responds. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST'])

class GateHandler {
  private readonly options: GateOptions
  private readonly intake = new Intake(bytesMax.body, bytesMax.held)
  private readonly turns = new Turns(turnBounds)
  private readonly lookups = new Turns(lookupBounds)
  private readonly good = new Set<string>()

  constructor(options: GateOptions) {
    this.options = options
  }

  async answer(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    if (!URL.canParse(req.url ?? '/', base)) return say(req, res, 404, 'Not found.\n')
    const url = new URL(req.url ?? '/', base)
    if (url.pathname === '/ping') return say(req, res, 200, 'Ok.\n')
    if (url.pathname !== '/') return say(req, res, 404, 'Not found.\n')
    if (!methods.has(req.method ?? '')) {
      res.setHeader('Allow', [...methods].join(', '))
      return say(req, res, 405, 'Send statements by GET or POST.\n')
    }
    const began = performance.now()
    const gone = new AbortController()
    res.once('close', () => gone.abort())
    const noted = (outcome: QuestionOutcome) => this.options.note(outcome, (performance.now() - began) / 1000)
    try {
      if (isFromPage(req)) throw refusal(497, 'This endpoint does not serve web pages.')
      const caller = await this.callerOf(req, url, gone.signal)
      const { code } = await this.intake.take(req, url, async (carried) => {
        const question = questionOf(carried, req.headers['x-clickhouse-format']?.toString(), ownOf(caller))
        return this.turns.take({ orgId: caller.orgId, person: personOf(caller) }, gone.signal, async (free) => {
          const answered = await this.ask(question, caller, req)
          free()
          await pass(answered, question, caller, res)
          return answered
        })
      })
      noted(code === undefined ? 'answered' : 'failed')
    } catch (error) {
      noted(fail(req, res, error as Error))
    }
  }

  /**
   * Wrong tokens count against their address. Above the limit, tokens that are not remembered as valid wait in line for
   * a lookup; valid ones still work.
   * @throws Error in the engine's words
   */
  private async callerOf(req: http.IncomingMessage, url: URL, gone: AbortSignal): Promise<Caller> {
    const { limiter, refused } = this.options
    const token = tokenOf(req, url)
    const address = blockOf(
      addressOf(
        req.socket.remoteAddress,
        String(req.headers['x-forwarded-for'] ?? ''),
        this.options.trustedProxies ?? 0,
      ),
    )
    const isOver = refused.perMinute > 0 && !limiter.isOpen(refused, address)
    if (token === undefined)
      throw isOver ? wrongMany() : unknown('send an access token with scope analyst as the password.')
    const inLine = isOver && !this.good.has(hashOf(token))
    if (inLine)
      return this.lookups.take({ orgId: address, person: '' }, gone, () => this.lookUp(token, address, isOver))
    return this.lookUp(token, address, isOver)
  }

  private async lookUp(token: string, address: string, isOver: boolean): Promise<Caller> {
    const { limiter, refused, callerOf } = this.options
    try {
      const caller = await callerOf(token)
      this.remember(hashOf(token))
      return caller
    } catch (error) {
      const told = refusalOf(error)
      if (told.isWrong) this.good.delete(hashOf(token))
      if (told.isWrong && refused.perMinute > 0) limiter.take(refused, address)
      throw told.isWrong && isOver ? wrongMany() : told.error
    }
  }

  private remember(hash: string): void {
    if (this.good.size >= goodMax) this.good.clear()
    this.good.add(hash)
  }

  private async ask(question: Question, caller: Caller, req: http.IncomingMessage): Promise<UpstreamAnswer> {
    const { serverOf, isWhole, limiter } = this.options
    const { orgId } = caller
    const held = viewRightsOf(caller)
    if (!isWhole()) throw refusal(210, 'A store has lost data, so figures would be wrong.')
    if (!limiter.isOpen(outlivedRate, orgId))
      throw refusal(202, 'A query of your organization ran past its time limit. Wait ten minutes.')
    const { databases, upstream } = await serverOf(orgId)
    const encoding = req.headers['accept-encoding']?.toString()
    const once = async () => upstream.ask(question, await databases.of(orgId, held), encoding)
    let answered = await once().catch(unreachable)
    if (notThere.has(answered.code) && !(await databases.isThere(orgId, held))) {
      answered.body.resume()
      answered = await once().catch(unreachable)
    }
    if (answered.headers[OUTLIVED_HEADER] !== undefined) limiter.take(outlivedRate, orgId)
    return answered
  }
}

const ownOf = (caller: Caller): ReadonlySet<string> => openDatabases(caller.orgId, viewRightsOf(caller))

/**
 * Passes an answer on. The text of a failed answer is read completely first, because it may name other organizations.
 */
async function pass(
  answered: UpstreamAnswer,
  question: Question,
  caller: Caller,
  res: http.ServerResponse,
): Promise<void> {
  const { status, headers, body, code } = answered
  const told = Object.fromEntries(Object.entries(headers).filter(([name]) => passedHeaders.test(name)))
  const summary = headers['x-clickhouse-summary']?.toString()
  if (summary !== undefined) told['x-clickhouse-summary'] = summaryOf(summary, headers['content-length'])
  if (code === undefined && status < 400) {
    // If the client has disconnected, the answer is still read to its end: the engine works until then.
    if (res.destroyed) return finished(body.resume())
    res.writeHead(status, { ...securityHeaders, ...told })
    return pipeline(body, res)
  }
  const bytes = await readFailureText(answered, question, ownOf(caller))
  delete told['content-encoding']
  res
    .writeHead(answeredStatus(status, code), { ...securityHeaders, ...told, 'content-length': bytes.length })
    .end(bytes)
  await finished(res).catch(() => {})
}

/** A status for errors that the engine calls internal but that the caller may have caused. */
const answeredStatus = (status: number, code: number | undefined): number =>
  status === 500 ? statusOf(code ?? 0) : status

const unknown = (why: string): Error => refusal(516, `Authentication failed: ${why} (AUTHENTICATION_FAILED)`)

/** Why a token was refused, and whether the token itself is wrong. */
function refusalOf(error: unknown): { error: Error; isWrong: boolean } {
  if (!(error instanceof Fault) || error.kind === 'transient' || error.kind === 'defect')
    return { error: refusal(210, 'Tokens cannot be verified at the moment. Try again.'), isWrong: false }
  const isGood = error.code === 'report_scope' || error.code === 'nothing_to_read'
  const { message } = error
  return { error: isGood ? refusal(497, `${message} (ACCESS_DENIED)`) : unknown(message), isWrong: !isGood }
}

/**
 * Error codes of a query if the organization's views were lost in a restart of ClickHouse: no such table, no such
 * database.
 */
const notThere = new Set<number | undefined>([60, 81])

function unreachable(cause: Error): never {
  if (/^Code: \d+/.test(cause.message)) throw cause
  throw refusal(210, 'ClickHouse is unavailable. Try again. (NETWORK_ERROR)')
}

/**
 * Whether a browser page sent the request. It could use a password that the browser has stored; such requests carry an
 * origin.
 */
function isFromPage({ headers }: http.IncomingMessage): boolean {
  return headers.origin !== undefined || (headers['sec-fetch-site'] ?? 'none') !== 'none'
}

function fail(req: http.IncomingMessage, res: http.ServerResponse, error: Error): QuestionOutcome {
  const message = error.message.replace(/^.*?(?=Code: \d+)/s, '')
  const code = Number(/^Code: (\d+)/.exec(message)?.[1] ?? 1002)
  if (res.headersSent) {
    res.destroy()
    return 'failed'
  }
  res.setHeader('X-ClickHouse-Exception-Code', code)
  if (code === 516) res.setHeader('WWW-Authenticate', 'Basic realm="Tidemark analysts"')
  // The rest of a refused body is not read.
  if (!req.complete) res.setHeader('Connection', 'close')
  say(
    req,
    res,
    statusOf(code),
    `${message.startsWith('Code: ') ? message : 'Code: 1002. DB::Exception: The request failed.'}\n`,
  )
  return outcomes[code] ?? 'failed'
}

const outcomes: Readonly<Record<number, QuestionOutcome>> = {
  164: 'refused',
  497: 'refused',
  516: 'unauthenticated',
  202: 'busy',
}

/** For every answer: intermediaries must not store an organization's data, nor interpret it as another type. */
const securityHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const

function say(req: http.IncomingMessage, res: http.ServerResponse, status: number, text: string): void {
  const length = Buffer.byteLength(text)
  res.writeHead(status, { ...securityHeaders, 'Content-Type': 'text/plain; charset=UTF-8', 'Content-Length': length })
  res.end(req.method === 'HEAD' ? undefined : text)
}
