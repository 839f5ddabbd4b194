/**
 * The HTTP edge: turns the list of routes into a Koa application, with authentication, rate limits, validation,
 * idempotency and problem documents.
 */
import { randomUUID } from 'node:crypto'
import Router from '@koa/router'
import Koa from 'koa'
import helmet from 'koa-helmet'
import type { Logger } from 'pino'
import { Fault } from '#engine/value/fault.ts'
import { decoder, t, type TSchema } from '#engine/value/schema.ts'
import { readForm, readJson } from '#http/edge/request/body.ts'
import { bodyInput, textInput } from '#http/edge/request/decode.ts'
import { crossOrigin } from '#http/edge/cors.ts'
import { nameMetadata } from '#http/edge/request/challenge.ts'
import { readPreference } from '#http/edge/request/preference.ts'
import { deprecationHeaders, namingAsGiven, parameterDeprecation } from '#http/edge/request/deprecation.ts'
import { checkKey, oncePerKey, type IdempotencyTools } from '#http/edge/idempotency.ts'
import type { RefusedCaller } from '#http/identity/session/session.ts'
import type { Client } from '#http/identity/tools.ts'
import { addressOf, blockOf } from '#http/identity/address.ts'
import { limitHeaders, type Limits, type Rate, type Rates, type LimitResult } from '#http/edge/limit/limit.ts'
import { permit } from '#http/identity/organization/permit.ts'
import { badInput, problemOf } from '#http/edge/problem.ts'
import { explainedBy, refuseWithoutRoom, type StorageRefusal } from '#http/edge/limit/storage.ts'
import { Reply } from '#http/store/reply.ts'
import { isKeyed, takesBody, type RefusalFormat, type Request, type Route } from '#http/edge/route.ts'
import { personOf, type Caller } from '#http/identity/organization/caller.ts'
import type { Services } from '#http/edge/services.ts'
import { asOrganization } from '#http/store/tenant.ts'
import { isCounted, isRehearsal } from '#http/edge/inner-request.ts'
import { faultOf } from '#http/store/fault.ts'

/** The parts of a request from which the caller is determined. */
export interface Incoming {
  headers: Koa.Context['headers']
  client: Client
  /** Name of the request under an Idempotency-Key: an executed repeat has the same one. */
  idempotent?: string
}

/** Determines the caller and what handlers may use. */
export interface RequestScope {
  /** @throws Fault `unauthenticated` or `forbidden` */
  caller: (incoming: Incoming, route: Route) => Promise<Caller>
  services: (caller: Caller, incoming: Incoming) => Services
}

export interface EdgeOptions {
  log?: Logger
  /** Without it there are no limits. */
  limits?: { limiter: Limits; rates: Rates }
  /** Without it, the header Idempotency-Key is ignored. */
  idempotency?: IdempotencyTools
  /** Origins of pages that may call; `*` means any. */
  corsOrigins?: readonly string[]
  /** Number of proxies in front whose information about the caller's address is trusted. */
  trustedProxies?: number
  storageRefusal?: StorageRefusal
  /** Measures every request and its result. */
  measure?: Koa.Middleware
  /** Called for each refused caller. */
  /** The public URL of this service, without a trailing slash. */
  publicUrl?: () => string
  refused?: (who: RefusedCaller, route: string, fault: Fault, client: Client) => void
  /** Returns 500 if a payload does not match its route's schema. For tests. */
  verifyReplies?: boolean
}

/**
 * The Koa application that serves `routes`. Every response has `X-Request-Id` and `Api-Version`; every response of 400
 * and above is a problem document. Paths may have the prefix `/api`.
 */
export function edge(routes: readonly Route[], scope: RequestScope, options: EdgeOptions = {}): Koa {
  const router = new Router({ sensitive: true })
  for (const r of routes.toSorted(staticFirst))
    router.register(r.path, [r.method], namingAsGiven(r, serve(r, scope, options)))
  const app = new Koa()
  // Errors after the headers were sent: a broken stream, or a disconnected caller.
  app.on('error', (error: NodeJS.ErrnoException) => {
    const hungUp = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'].includes(error.code ?? '')
    options.log?.[hungUp ? 'info' : 'error']({ err: error }, 'a response was closed before its end')
  })
  app.use(identifyRequests(options.trustedProxies ?? 0))
  app.use(logRequests(options.log))
  if (options.measure) app.use(options.measure)
  app.use(
    helmet({ contentSecurityPolicy: { useDefaults: false, directives: nothing }, xFrameOptions: { action: 'deny' } }),
  )
  if (options.corsOrigins?.length) app.use(crossOrigin(options.corsOrigins))
  app.use(nameMetadata(options.publicUrl))
  app.use(faults(options))
  app.use(stripPrefix)
  app.use(readPreference)
  app.use(router.routes())
  app.use(refuseUnmatched(routes))
  return app
}

/** Content security policy of responses that are not pages: nothing may be loaded or framed. */
const nothing = {
  'default-src': ["'none'"],
  'frame-ancestors': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
}

/** Orders paths so that if two match, the one with the earlier fixed segment comes first. */
export function staticFirst(a: Route, b: Route): number {
  const shape = ({ path }: Route) => path.replaceAll(/[^/]+/g, (segment) => (segment.includes(':') ? '1' : '0'))
  return shape(a) < shape(b) ? -1 : shape(a) > shape(b) ? 1 : 0
}

/** For routes without query or body schema: any parameter or member is refused. */
const nothingAsked = t.Object({})
const bodyOf = (r: Route, body: unknown): unknown => (r.body ? body : undefined)

function serve(r: Route, scope: RequestScope, options: EdgeOptions): Koa.Middleware {
  const params = r.params && textInput(r.params, 'path')
  const query = textInput(r.query ?? nothingAsked, 'query')
  const body = bodyInput(r.body ?? nothingAsked)
  const verify = options.verifyReplies && r.reply ? decoder(envelope(r, r.reply)) : undefined
  const hasBody = takesBody(r)
  const deprecation = parameterDeprecation(r)
  const isKeptBack = r.secret === true || r.permission !== 'public'
  return async (ctx) => {
    const client = ctx.state['client'] as Client
    Object.assign(ctx.state, { route: r.path, refusal: r.refusal, resourceMetadata: r.resourceMetadata })
    // Also for refusals, which may contain parts of the request. An organization's data must not be stored by caches on
    // the way.
    if (isKeptBack) ctx.set('Cache-Control', 'no-store')
    const incoming: Incoming = { headers: ctx.headers, client }
    if (r.permission === 'public') await limitedAddress(ctx, options, r, client)
    const caller = await identifyCaller(ctx, r, () => asOrganization('', () => scope.caller(incoming, r)), options)
    ctx.state['org'] = caller.orgId
    if (r.permission !== 'public') await limitedCaller(ctx, options, caller)
    checkPermission(r, caller, options, client)
    refuseWithoutRoom(r, options)
    ctx.set(deprecation(ctx.query))
    const given = hasBody && !r.upload ? await (r.form ? readForm(ctx.req) : readJson(ctx.req, r.json)) : undefined
    const request: Request<unknown, unknown, unknown> = {
      caller,
      client,
      params: params?.(ctx['params'] as Record<string, string>),
      query: query(ctx.query, ctx.state['isStrict'] === true),
      body: hasBody && !r.upload ? bodyOf(r, body(given)) : undefined,
      ...(r.upload && { upload: ctx.req }),
      url: ctx.url,
      headers: ctx.headers,
    }
    const answer = await asOrganization(caller.orgId, () => carriedOut(ctx, r, scope, options, request, incoming))
    sendReply(ctx, r, answer instanceof Reply ? answer : new Reply(answer, {}), verify)
  }
}

/**
 * Determines the caller. If too many tokens of an address block were refused, its tokens are not looked up for a while.
 */
async function identifyCaller(
  ctx: Koa.Context,
  r: Route,
  look: () => Promise<Caller>,
  { limits, refused }: EdgeOptions,
): Promise<Caller> {
  const client = ctx.state['client'] as Client
  const rate = limits?.rates.refused
  const isLimited = limits !== undefined && rate !== undefined && rate.perMinute > 0
  const block = blockOf(client.ip)
  if (isLimited && !limits.limiter.isOpen(rate, block)) await take(ctx, limits, rate, block)
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (isLimited && error.kind === 'unauthenticated') await limits.limiter.take(rate, block)
    const who = error.detail['who'] as RefusedCaller | undefined
    if (who) refused?.(who, `${r.method} ${r.path}`, error, client)
    throw error
  }
}

/** The key for counting requests: the organization, except for requests of our own services on its behalf. */
const rateKeyOf = ({ orgId, kind, principal }: Caller): string =>
  orgId !== '' && kind !== 'internal' ? orgId : `${orgId}\n${principal}`

/**
 * The person's limit is checked first: requests above it do not count against their organizations. Headers show the
 * limit with less left.
 * @throws Fault `invalid` `rate_limited`
 */
async function limitedCaller(ctx: Koa.Context, options: EdgeOptions, caller: Caller): Promise<void> {
  if (isCounted()) return
  const person = personOf(caller)
  const own = person === '' ? undefined : await applyLimit(ctx, options, 'person', person)
  const all = await applyLimit(ctx, options, 'caller', rateKeyOf(caller))
  if (own && all && own.taken.left < all.taken.left) ctx.set(limitHeaders(own.rate, own.taken))
}

/** @throws Fault `invalid` `rate_limited` */
async function limitedAddress(ctx: Koa.Context, options: EdgeOptions, { limit }: Route, { ip }: Client): Promise<void> {
  if (limit) await applyLimit(ctx, options, limit, blockOf(ip))
}

type AppliedLimit = { rate: Rate; taken: LimitResult } | undefined

/** @throws Fault `invalid` `rate_limited` */
async function applyLimit(
  ctx: Koa.Context,
  { limits }: EdgeOptions,
  kind: keyof Rates,
  key: string,
): Promise<AppliedLimit> {
  const rate = limits?.rates[kind]
  if (!rate || rate.perMinute === 0) return undefined
  return { rate, taken: await take(ctx, limits, rate, key) }
}

/** @throws Fault `invalid` `rate_limited` */
async function take(
  ctx: Koa.Context,
  { limiter }: NonNullable<EdgeOptions['limits']>,
  rate: Rate,
  key: string,
): Promise<LimitResult> {
  const taken = await limiter.take(rate, key)
  ctx.set(limitHeaders(rate, taken))
  if (taken.isAllowed) return taken
  throw Fault.invalid('rate_limited', 'Too many requests. Try again later.', { retryAfter: taken.retryAfter })
}

function checkPermission(r: Route, caller: Caller, { refused }: EdgeOptions, client: Client): void {
  try {
    permit(r, caller)
  } catch (error) {
    if (error instanceof Fault) refused?.(caller, `${r.method} ${r.path}`, error, client)
    throw error
  }
}

/** Runs the handler; only once per Idempotency-Key. */
function carriedOut(
  ctx: Koa.Context,
  r: Route,
  scope: RequestScope,
  { idempotency }: EdgeOptions,
  request: Request<unknown, unknown, unknown>,
  incoming: Incoming,
): Promise<unknown> {
  const { caller, client } = request
  if (isRehearsal()) return Promise.resolve(new Reply(undefined, { status: 204 }))
  const run = (from: Incoming) => r.handle(request as Request<never, never, never>, scope.services(caller, from))
  const key = ctx.get('Idempotency-Key')
  if (!isKeyed(r) || key === '' || !idempotency) return run(incoming)
  const principal = caller.kind === 'anonymous' ? `ip:${client.ip}` : caller.principal
  const id = { orgId: caller.orgId, principal, route: `POST ${ctx.url}`, key: checkKey(key) }
  return oncePerKey(idempotency, { ...id, body: request.body }, (idempotent) => run({ ...incoming, idempotent }))
}

function sendReply(
  ctx: Koa.Context,
  r: Route,
  { payload, headers, status, media = r.media, meta, isUndeclared }: Reply<unknown>,
  verify?: (p: unknown) => unknown,
) {
  ctx.set({ ...headers, ...(r.deprecated && deprecationHeaders(r.deprecated)) })
  ctx.status = status ?? r.status ?? 200
  if (ctx.status === 204) return
  if (media) {
    ctx.body = payload
    ctx.type = media
    return
  }
  const text = JSON.stringify(r.bare ? payload : { data: payload, ...(meta !== undefined && { meta }) })
  if (verify && !isUndeclared) verifyReply(verify, JSON.parse(text), r)
  ctx.type = r.json ?? 'application/json'
  ctx.body = text
}

/** The whole body of a response of `r`. */
const envelope = (r: Route, data: TSchema): TSchema =>
  r.bare ? data : t.Object({ data, ...(r.meta && { meta: r.meta }) }, { additionalProperties: false })

function verifyReply(verify: (sent: unknown) => unknown, sent: unknown, r: Route): void {
  try {
    verify(sent)
  } catch (error) {
    throw Fault.defect(
      new Error(`${r.method} ${r.path} returned a response that it does not declare`, { cause: error }),
    )
  }
}

const plainId = /^[A-Za-z0-9._:-]{1,128}$/

const identifyRequests =
  (proxies: number): Koa.Middleware =>
  async (ctx, next) => {
    const given = ctx.get('X-Request-Id')
    const requestId = plainId.test(given) ? given : randomUUID()
    const ip = addressOf(ctx.req.socket.remoteAddress, ctx.get('X-Forwarded-For'), proxies)
    const client: Client = { ip, userAgent: ctx.get('User-Agent'), requestId }
    Object.assign(ctx.state, { requestId, client, asked: ctx.path })
    ctx.set({ 'X-Request-Id': requestId, 'Api-Version': '1' })
    await next()
  }

/** Logs one line per request: the declared route, never the actual URL, because a query may contain anything. */
const logRequests =
  (log: Logger | undefined): Koa.Middleware =>
  async (ctx, next) => {
    const began = performance.now()
    await next()
    const { route, requestId, org } = ctx.state
    const ms = Math.round((performance.now() - began) * 10) / 10
    log?.info(
      {
        method: ctx.method,
        route: route as string,
        status: ctx.status,
        ms,
        requestId: requestId as string,
        org: org as string,
      },
      'request',
    )
  }

const faults =
  ({ log, storageRefusal }: EdgeOptions): Koa.Middleware =>
  async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const fault = explainedBy(storageRefusal, faultOf(error))
      const { requestId, asked, refusal } = ctx.state as { requestId: string; asked: string; refusal?: RefusalFormat }
      if (fault.kind === 'defect') log?.error({ err: fault.cause, requestId }, 'defect')
      if (fault.kind === 'transient' && fault.cause) log?.warn({ err: fault.cause, requestId }, 'unavailable')
      const answer = problemOf(fault, asked, requestId)
      ctx.state['code'] = fault.code
      ctx.status = answer.status
      ctx.set(answer.headers)
      ctx.type = refusal?.media ?? 'application/problem+json'
      ctx.body = JSON.stringify(refusal ? refusal.say(answer, fault) : answer.body)
    }
  }

const stripPrefix: Koa.Middleware = (ctx, next) => {
  if (ctx.path === '/api' || ctx.path.startsWith('/api/')) ctx.path = ctx.path.slice('/api'.length) || '/'
  if (!decodes(ctx.path)) {
    throw badInput({ in: 'path', name: '', code: 'encoding', message: 'is not valid percent-encoded UTF-8' })
  }
  return next()
}

function decodes(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** `scim` of `/scim/v2/Users`. */
const firstOf = (path: string): string => path.split('/')[1] ?? ''

/**
 * Called if no route matched: the path is unknown, or known only for other methods. The response is like that of
 * neighbouring routes.
 */
function refuseUnmatched(routes: readonly Route[]): Koa.Middleware {
  const refusals = new Map(routes.flatMap((r) => (r.refusal ? [[firstOf(r.path), r.refusal] as const] : [])))
  return (ctx) => {
    ctx.state['refusal'] ??= refusals.get(firstOf(ctx.path))
    notTaken(ctx)
  }
}

function notTaken(ctx: Koa.Context): void {
  const layers = (ctx['matched'] ?? []) as { methods: string[] }[]
  const methods = [...new Set(layers.flatMap((layer) => layer.methods))].toSorted()
  if (methods.length === 0) throw new Fault('missing', 'not_found', 'No such path.')
  if (ctx.method === 'OPTIONS') {
    ctx.set('Allow', methods.join(', '))
    ctx.status = 204
    return
  }
  const allow = methods.join(', ')
  throw Fault.invalid('method_not_allowed', `Method not allowed. Allowed methods: ${allow}.`, { allow })
}
