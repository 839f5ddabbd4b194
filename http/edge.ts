import { randomUUID } from 'node:crypto'
import Router from '@koa/router'
import Koa from 'koa'
import helmet from 'koa-helmet'
import type { Logger } from 'pino'
import { Fault } from '#engine/fault.ts'
import { decoder } from '#engine/schema.ts'
import { readJson } from '#http/body.ts'
import { bodyInput, textInput } from '#http/decode.ts'
import { badInput, problemOf } from '#http/problem.ts'
import { Reply, type Caller, type Request, type Route, type Services } from '#http/route.ts'
import { faultOf } from '#http/unavailable.ts'

/** Gives one request its caller and services. @throws Fault `unauthenticated` or `forbidden` */
export type Scope = (ctx: Koa.Context, route: Route) => Promise<{ caller: Caller; services: Services }>

export interface EdgeOptions {
  log?: Logger
  /** Answers 500 when a payload is not what its route declares. For tests. */
  verifyReplies?: boolean
}

/**
 * The Koa application that serves `routes`. Every answer has `X-Request-Id` and `Api-Version`; everything of 400 and above
 * is a problem document. A path may have `/api` in front.
 */
export function edge(routes: readonly Route[], scope: Scope, options: EdgeOptions = {}): Koa {
  const router = new Router({ sensitive: true })
  for (const r of routes.toSorted(staticFirst)) router.register(r.path, [r.method], serve(r, scope, options))
  const app = new Koa()
  app.use(marked)
  app.use(logged(options.log))
  app.use(
    helmet({ contentSecurityPolicy: { useDefaults: false, directives: nothing }, xFrameOptions: { action: 'deny' } }),
  )
  app.use(faults(options.log))
  app.use(unprefixed)
  app.use(router.routes())
  app.use(unmatched)
  return app
}

/** What an answer that is no page may load or be framed by: nothing. */
const nothing = {
  'default-src': ["'none'"],
  'frame-ancestors': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
}

/** Orders paths so that where two match, the one with the earlier fixed segment comes first. */
function staticFirst(a: Route, b: Route): number {
  const shape = ({ path }: Route) => path.replaceAll(/[^/]+/g, (segment) => (segment.includes(':') ? '1' : '0'))
  return shape(a) < shape(b) ? -1 : shape(a) > shape(b) ? 1 : 0
}

function serve(r: Route, scope: Scope, options: EdgeOptions): Koa.Middleware {
  const params = r.params && textInput(r.params, 'path')
  const query = r.query && textInput(r.query, 'query')
  const body = r.body && bodyInput(r.body)
  const verify = options.verifyReplies && r.reply ? decoder(r.reply) : undefined
  return async (ctx) => {
    ctx.state['route'] = r.path
    const { caller, services } = await scope(ctx, r)
    ctx.state['org'] = caller.orgId
    permit(r, caller)
    const json = r.method === 'GET' || r.method === 'DELETE' ? undefined : await readJson(ctx.req)
    const request: Request<unknown, unknown, unknown> = {
      caller,
      params: params?.(ctx['params'] as Record<string, string>),
      query: query?.(ctx.query),
      body: body?.(json),
      url: ctx.url,
      headers: ctx.headers,
    }
    const answer = await r.handle(request as Request<never, never, never>, services)
    answered(ctx, r, answer instanceof Reply ? answer : new Reply(answer, {}), verify)
  }
}

function permit({ permission }: Route, { role, permissions }: Caller): void {
  if (permission === 'public') return
  const allowed = permission === 'admin' ? role === 'owner' || role === 'admin' : permissions.has(permission)
  if (!allowed) throw Fault.forbidden('forbidden', `This needs the permission ${permission}.`)
}

function answered(
  ctx: Koa.Context,
  r: Route,
  { payload, headers, status }: Reply<unknown>,
  verify?: (p: unknown) => unknown,
) {
  ctx.set({ ...headers, ...(r.deprecated && outgoing(r.deprecated)) })
  ctx.status = status ?? r.status ?? 200
  if (ctx.status === 204) return
  if (r.media) {
    ctx.body = payload
    ctx.type = r.media
    return
  }
  const text = JSON.stringify(r.bare ? payload : { data: payload })
  if (verify) verified(verify, JSON.parse(text) as { data?: unknown }, r)
  ctx.type = 'application/json'
  ctx.body = text
}

function verified(verify: (payload: unknown) => unknown, sent: { data?: unknown }, r: Route): void {
  try {
    verify(r.bare ? sent : sent.data)
  } catch (error) {
    throw Fault.defect(new Error(`${r.method} ${r.path} answers what it does not declare`, { cause: error }))
  }
}

/** The headers of an endpoint that is on its way out (RFC 9745, RFC 8594). */
function outgoing({ since, sunset, link }: NonNullable<Route['deprecated']>): Record<string, string> {
  return {
    Deprecation: `@${Math.floor(Date.parse(since) / 1000)}`,
    ...(sunset && { Sunset: new Date(sunset).toUTCString() }),
    ...(link && { Link: `<${link}>; rel="deprecation"` }),
  }
}

const plainId = /^[A-Za-z0-9._:-]{1,128}$/

const marked: Koa.Middleware = async (ctx, next) => {
  const given = ctx.get('X-Request-Id')
  ctx.state['requestId'] = plainId.test(given) ? given : randomUUID()
  ctx.state['asked'] = ctx.path
  ctx.set({ 'X-Request-Id': ctx.state['requestId'] as string, 'Api-Version': '1' })
  await next()
}

/** One line a request: the declared route and never what was asked of it, for a query may hold anything. */
const logged =
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
  (log: Logger | undefined): Koa.Middleware =>
  async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const fault = faultOf(error)
      const { requestId, asked } = ctx.state as { requestId: string; asked: string }
      if (fault.kind === 'defect') log?.error({ err: fault.cause, requestId }, 'defect')
      if (fault.kind === 'transient' && fault.cause) log?.warn({ err: fault.cause, requestId }, 'unavailable')
      const answer = problemOf(fault, asked, requestId)
      ctx.status = answer.status
      ctx.set(answer.headers)
      ctx.type = 'application/problem+json'
      ctx.body = JSON.stringify(answer.body)
    }
  }

const unprefixed: Koa.Middleware = (ctx, next) => {
  if (ctx.path === '/api' || ctx.path.startsWith('/api/')) ctx.path = ctx.path.slice('/api'.length) || '/'
  if (!decodes(ctx.path)) {
    throw badInput({ in: 'path', name: '', code: 'encoding', message: 'is not percent-encoded UTF-8' })
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

/** Reached when no route took the request: its path is unknown, or known for other methods only. */
const unmatched: Koa.Middleware = (ctx) => {
  const layers = (ctx['matched'] ?? []) as { methods: string[] }[]
  const methods = [...new Set(layers.flatMap((layer) => layer.methods))].toSorted()
  if (methods.length === 0) throw new Fault('missing', 'not_found', 'There is nothing at this path.')
  if (ctx.method === 'OPTIONS') {
    ctx.set('Allow', methods.join(', '))
    ctx.status = 204
    return
  }
  const allow = methods.join(', ')
  throw Fault.invalid('method_not_allowed', `This path takes ${allow}.`, { allow })
}
