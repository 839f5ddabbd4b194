/** Deprecated endpoints and parameters, and names that parameters had formerly (RFC 9745, RFC 8594). */
import type Koa from 'koa'
import { Fault } from '#engine/value/fault.ts'
import { badInput, type InputError } from '#http/edge/problem.ts'
import type { Route } from '#http/edge/route.ts'
import type { Keywords } from './keywords.ts'

const deprecatedParameter = { since: '2026-01-01', link: '/docs' } as const
const formerName = { since: '2026-12-01', link: '/docs' } as const

/** The headers that announce a deprecation. */
export function deprecationHeaders({ since, sunset, link }: NonNullable<Route['deprecated']>): Record<string, string> {
  return {
    Deprecation: `@${Math.floor(Date.parse(since) / 1000)}`,
    ...(sunset && { Sunset: new Date(sunset).toUTCString() }),
    ...(link && { Link: `<${link}>; rel="deprecation"` }),
  }
}

/** The headers for queries that use deprecated parameters or former names. */
export function parameterDeprecation({ query }: Route): (given: object) => Record<string, string> {
  const properties = Object.entries((query as Keywords | undefined)?.properties ?? {})
  const names = properties.flatMap(([name, { deprecated }]) => (deprecated === true ? [name] : []))
  const formerNames = properties.flatMap(([, { formerly }]) => formerly ?? [])
  return (given) => {
    if (names.some((name) => name in given)) return deprecationHeaders(deprecatedParameter)
    return formerNames.some((name) => name in given) ? deprecationHeaders(formerName) : {}
  }
}

/** `handle`, whose errors about a parameter name it as the request does. */
export function namingAsGiven({ query }: Route, handle: Koa.Middleware): Koa.Middleware {
  const former = Object.entries((query as Keywords | undefined)?.properties ?? {}).flatMap(([name, { formerly }]) =>
    formerly === undefined ? [] : [[name, formerly] as const],
  )
  if (former.length === 0) return handle
  return async (ctx, next) => {
    try {
      await handle(ctx, next)
    } catch (error) {
      throw renamed(error, new Map(former.filter(([, formerly]) => formerly in ctx.query)))
    }
  }
}

function renamed(error: unknown, given: ReadonlyMap<string, string>): unknown {
  const errors = error instanceof Fault ? (error.detail['errors'] as readonly InputError[] | undefined) : undefined
  if (!errors?.some(({ in: where, name }) => where === 'query' && given.has(name))) return error
  return badInput(
    ...errors.map((one) => (one.in === 'query' ? { ...one, name: given.get(one.name) ?? one.name } : one)),
  )
}
