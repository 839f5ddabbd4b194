/** What an organization is answered by every endpoint that reads: to be compared with what it was answered before something happened elsewhere. */
import { expect } from 'chai'
import type { Keywords } from '#http/edge/request/keywords.ts'
import type { Route } from '#http/edge/route.ts'
import { routes } from '#http/index.ts'
import { ask } from '#test/harness/people.ts'
import { neededQuery, placed, probedDay, withIds } from '#test/harness/place.ts'
import { textOf, type Tenant } from '#test/harness/product.ts'
import { send, type Side } from '#test/harness/side.ts'
import { sample } from '#test/harness/tier.ts'

/** What was asked of an organization is written down there, so its trail grows as it is read; how long messages wait is of the moment, and so is what happens (who hears whose events: test/flows/live.test.ts). */
const passing = ['/security-events', '/events/lag', '/events/stream']
const reads = routes.filter(({ method, path }) => method === 'GET' && !passing.includes(path))

/** The path of a route with these ids in it; any of them where there is none by the name. */
export const pathWith = (template: string, ids: Readonly<Record<string, string>>): string =>
  template.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? Object.values(ids)[0]!)

/** The answer of each endpoint word for word, or its status where it is a refusal, by the path of its route. */
export async function allAnswers(
  { url, token }: Pick<Tenant, 'url' | 'token'>,
  ids: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const answers = await Promise.all(
    reads.map(async (route) => {
      const headers = { Authorization: `Bearer ${token}` }
      const response = await fetch(`${url}${pathWith(route.path, ids)}`, { headers })
      const text = await textOf(response)
      return [route.path, response.ok ? text : String(response.status)] as const
    }),
  )
  return Object.fromEntries(answers)
}

/** What answers otherwise than before: path, answer before and now. */
export const differing = (now: Record<string, string>, before: Record<string, string>) =>
  Object.keys({ ...now, ...before }).flatMap((at) => (now[at] === before[at] ? [] : [[at, before[at], now[at]]]))

/** Ids go before what stands in a path otherwise: a team is one of theirs. */
export const filled = (route: Route, ids: Record<string, string>) =>
  placed({ ...route, path: withIds(route.path, ids) })

/** What is worked out of a record of their own is asked of it. */
const ownQueries: Readonly<Record<string, (ids: Readonly<Record<string, string>>) => string>> = {
  '/event-readiness/calculate': (ids) => `?policy_id=${ids['/autoscaler-policies/:policyID']}&multiplier=2`,
  '/event-readiness/calculate-db': () => '?target_uid=db-1&multiplier=2',
}

/** Reports are asked of the day that has costs, wherever they take days. */
function asked(route: Route, ids: Readonly<Record<string, string>>): string {
  const own = ownQueries[route.path]
  if (own) return own(ids)
  const { from } = (route.query as Keywords | undefined)?.properties ?? {}
  const needed = neededQuery(route)
  if (!from || needed.includes('from=')) return needed
  return `${needed === '' ? '?' : `${needed}&`}from=${probedDay}&to=${probedDay}`
}

/** A day of costs is too little for the one, and nobody has registered the client of the other. */
const refusing: Readonly<Record<string, number>> = { '/reports/forecast': 422, '/auth/agents/client': 400 }

/** What changes by itself: the directory's token is used by `everything`, and messages wait for a moment. */
const ofTheMoment: Readonly<Record<string, RegExp>> = {
  '/organisations/:orgID/scim/tokens': /"lastUsedAt":(?:null|"[^"]*")/g,
  '/events/lag': /"oldestSeconds":(?:null|[\d.]+)/g,
}

/** Reports are most of what it takes to ask every endpoint. In `npm test` ten of them are asked, and every other endpoint. */
function asksOf(permitted: (route: Route) => boolean): readonly Route[] {
  const all = routes.filter((route) => route.method === 'GET' && permitted(route))
  const reports = all.filter(({ path }) => path.startsWith('/reports/'))
  const some = new Set(sample(reports, 10))
  return all.filter((route) => !reports.includes(route) || some.has(route))
}

/** The answer of every endpoint that reads, word for word, to one who may see all of it: each must have one. */
export async function everything(who: Side): Promise<Record<string, string>> {
  const seen: Record<string, string> = {}
  for (const route of asksOf(({ permission }) => !['public', 'internal', 'scim'].includes(permission))) {
    const { status, body } = await send(who, 'GET', `${filled(route, who.ids)}${asked(route, who.ids)}`)
    expect(status, `${route.path} ${JSON.stringify(body)}`).to.equal(refusing[route.path] ?? 200)
    const text = JSON.stringify({ ...(body as object), requestId: undefined })
    seen[route.path] = text.replaceAll(ofTheMoment[route.path] ?? /$^/g, '')
  }
  for (const route of routes.filter(({ method, permission }) => method === 'GET' && permission === 'scim')) {
    const { status, body } = await ask('GET', filled(route, who.ids), { token: who.scim })
    expect(status, `${route.path} ${JSON.stringify(body)}`).to.equal(200)
    seen[route.path] = JSON.stringify(body)
  }
  return seen
}
