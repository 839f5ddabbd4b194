/** Every input of every route, and values that are just outside of what its schema takes. */
import { takesBody, type Route } from '#http/edge/route.ts'
import type { Keywords } from '#http/edge/request/keywords.ts'
import { routes } from '#http/index.ts'
import { given, isLink, placed } from '#test/harness/place.ts'

export interface Bounded extends Keywords {
  minLength?: number
  maxLength?: number
}

/** A parameter of a route's query, and the path and query that the route is called with before it. */
export interface Parameter {
  route: Route
  name: string
  schema: Bounded
  /** Ends in `?` or `&`. */
  base: string
}

// SCIM refuses in words of its own: `scim-bad-input.test.ts`.
const isElsewhere = ({ permission }: Route) => permission === 'internal' || permission === 'scim'

/** Routes with a JSON body. */
export const bodyRoutes = routes.filter((route) => route.body && !route.form && !isElsewhere(route))

/** Routes whose path holds ids. A tag is no id, and files are opened by the signature of their link. */
export const idRoutes = routes.filter(
  (route) => route.path.includes(':') && !isElsewhere(route) && !route.path.includes(':tagKey') && !isLink(route),
)

/** Every parameter of every query, with what else the route needs. Signed links have no parameters of their own. */
export const parameters: readonly Parameter[] = routes
  .filter((route) => !isLink(route) && !isElsewhere(route))
  .flatMap((route) => {
    const { properties = {}, required = [] } = (route.query ?? {}) as Keywords
    return Object.entries(properties).map(([name, schema]) => {
      const others = required.filter((other) => other !== name && properties[other]!.default === undefined)
      const needed = others.map((other) => `${other}=${encodeURIComponent(given(route, other))}&`)
      return { route, name: encodeURIComponent(name), schema, base: `${placed(route)}?${needed.join('')}` }
    })
  })

export const isList = ({ schema }: Parameter): boolean => schema.type === 'array'
/** The values of a closed set. */
export const choices = ({ schema }: Parameter): readonly unknown[] | undefined => schema.items?.enum ?? schema.enum
export const isText = (p: Parameter): boolean =>
  (p.schema.type === 'string' || p.schema.items?.type === 'string') && !choices(p)
export const isMoment = ({ name }: Parameter): boolean => ['from', 'to', 'period', 'asOf'].includes(name)
/** The path and query that give a parameter `value`. */
export const withValue = ({ base, name }: Parameter, value: string): string =>
  `${base}${name}=${encodeURIComponent(value)}`
/** Whether a route reads a body that has members it cannot do without. */
export const needsBody = (route: Route): boolean =>
  takesBody(route) && (((route.body ?? {}) as Keywords).required ?? []).length > 0

/** A text or a list in a body: its JSON pointer, a body of nothing else that holds it, and its bounds. */
export interface BodyPlace {
  pointer: string
  bodyOf: (value: unknown) => unknown
  schema: Bounded
}

/** Every text, and every list, that `schema` has room for. */
export function bodyPlaces(schema: Bounded, pointer = '', bodyOf: BodyPlace['bodyOf'] = (value) => value): BodyPlace[] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
    bodyPlaces(one, `${pointer}/${name}`, (value) => bodyOf({ [name]: value })),
  )
  const items = schema.items
    ? bodyPlaces(schema.items, `${pointer}/0`, (value) => bodyOf([value])).concat({ pointer, bodyOf, schema })
    : []
  const either = (schema.anyOf ?? []).flatMap((one) => bodyPlaces(one, pointer, bodyOf))
  const own = schema.type === 'string' && !schema.enum ? [{ pointer, bodyOf, schema }] : []
  return [...inner, ...items, ...either, ...own]
}

/** Values just outside of the bounds, and the codes they are refused with. */
export function outOfBounds(schema: Bounded, max: number): [unknown, string][] {
  const { items } = schema
  const item = [items, ...(items?.anyOf ?? [])].find((one) => one?.enum)?.enum?.[0] ?? 'x'
  if (schema.type === 'array') return [[Array.from({ length: max + 1 }, () => item), 'maxItems']]
  return [['x'.repeat(max + 1), 'maxLength'], ...(schema.minLength ? [['', 'minLength'] as [unknown, string]] : [])]
}

/** Values of another type than that of the place. */
export const otherTypes = ({ schema }: BodyPlace): readonly unknown[] =>
  schema.type === 'array' ? ['x', 5, {}] : [5, true, ['x'], { a: 'x' }]
