import type Koa from 'koa'
import { Counter, Histogram, type Registry } from 'prom-client'

/** Refusals of a quota that are not told by 429. */
const quotaCodes = new Set(['limit_reached', 'organization_limit', 'sign_up_closed'])
const isQuota = (status: number, code: string): boolean =>
  status === 429 || code.startsWith('too_many_') || quotaCodes.has(code)

/** Others come from nobody's client, and a caller could make up many. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * Counts and times requests. What stands in the labels is declared here, never what was asked: paths that lead nowhere are
 * one route, `(none)`, and the times are not told apart by status.
 */
export function measureRequests(registry: Registry): Koa.Middleware {
  const requests = new Counter({
    name: 'tidemark_http_requests_total',
    help: 'Requests answered, by declared route and status',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'tidemark_http_request_seconds',
    help: 'Time from the request headers to the start of the response',
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const refusals = new Counter({
    name: 'tidemark_quota_refusals_total',
    help: 'Requests rejected by a rate limit or quota, by error code',
    labelNames: ['code'],
    registers: [registry],
  })
  return async (ctx, next) => {
    const began = performance.now()
    await next()
    const method = methods.has(ctx.method) ? ctx.method : 'other'
    const route = (ctx.state['route'] as string | undefined) ?? '(none)'
    requests.inc({ method, route, status: String(ctx.status) })
    const code = ctx.state['code'] as string | undefined
    if (code !== undefined && isQuota(ctx.status, code)) refusals.inc({ code })
    seconds.observe({ method, route }, (performance.now() - began) / 1000)
  }
}
