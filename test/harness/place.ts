/** How a route is called that a test knows nothing of: with what its own schemas give as examples. */
import type { Keywords } from '#http/edge/request/keywords.ts'
import type { Route } from '#http/edge/route.ts'

/** Files and pages that open by the signature of their link or by the state of a sign-in that waits, webhooks by the signature of their body, and by nothing else. */
export const isLink = ({ path }: Route): boolean =>
  /^\/exports\/|^\/notifications\/(?:view|confirm|unsubscribe)$|^\/webhooks\/|^\/auth\/oidc\/:orgID\/callback$/.test(
    path,
  )

/** A day with costs, where tests ask every route: the day before yesterday. */
export const probedDay = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)

/** Days of examples have no costs of a test. */
const days: Readonly<Record<string, string>> = { from: probedDay, to: probedDay }

/** The first example of a schema. */
export const exampleOf = (schema: object | undefined): unknown => (schema as { examples?: unknown[] })?.examples?.[0]
const member = (schema: object | undefined, name: string): object | undefined =>
  (schema as Keywords | undefined)?.properties?.[name]

/** The path with what stands in it that is no id of a record. */
export const placed = ({ path, params }: Route): string =>
  path.replaceAll(/:(\w+)/g, (whole, name: string) => (exampleOf(member(params, name)) as string) ?? whole)

/** The path with ids in it: by the list that they are of, since lists may call theirs alike, else by their name. */
export const withIds = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replaceAll(/:(\w+)/g, (whole, name: string, at: number) => ids[path.slice(0, at) + whole] ?? ids[name] ?? whole)

/** What a parameter that is required is given. */
export const given = ({ query }: Route, name: string): string =>
  days[name] ?? [(exampleOf(member(query, name)) ?? 'x') as string | string[]].flat().join()

/** The parameters that a route cannot do without, as a query; empty or beginning with `?`. */
export function neededQuery(route: Route): string {
  const { properties = {}, required = [] } = (route.query ?? {}) as Keywords
  const names = required.filter((name) => properties[name]!.default === undefined)
  return names.map((name, n) => `${n === 0 ? '?' : '&'}${name}=${encodeURIComponent(given(route, name))}`).join('')
}

/** The unit metric that examples of reports ask for. */
export const orders = { name: 'Orders', key: 'orders', unit: 'order', ingestion: 'push', aggregation: 'sum' }
