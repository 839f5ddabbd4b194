/** Documents the headers that the edge takes and sends for many operations. */
import type { Keywords } from '#http/edge/request/keywords.ts'
import type { Route } from '#http/edge/route.ts'

/** Name and meaning of the request header of operations that are executed once per key. */
export const idempotencyKey = [
  'Idempotency-Key',
  'any text of your own, new for each thing you want done: a repeat within 24 hours gets the first response and does nothing; with another body it is refused (422)',
] as const

/** Name and meaning of the request header of operations whose numbers have a maximum. */
export const prefer = [
  'Prefer',
  'handling=strict: a number above its maximum, such as limit, is refused (400 limit_too_large) instead of reduced to it; the response then has Preference-Applied (RFC 7240)',
] as const

const texts = {
  'X-Request-Id': 'the ID of this request in logs; yours, if you sent a plain one',
  RateLimit: 'the limit with the least left: its name, requests left (r), and seconds until it is full again (t)',
  'RateLimit-Policy': 'its requests (q) in a window of seconds (w)',
  'Retry-After': 'seconds to wait before the next try',
  'X-Total-Count': 'number of items in all pages',
  Link: 'links to the next and the previous page (rel="next", rel="prev")',
} as const
type HeaderName = keyof typeof texts

const numbers: readonly HeaderName[] = ['Retry-After', 'X-Total-Count']

export const headerComponents = Object.fromEntries(
  Object.entries(texts).map(([name, description]) => [
    name,
    { description, schema: { type: numbers.includes(name as HeaderName) ? 'integer' : 'string' } },
  ]),
)

export const refer = (...names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** A list that is a bare array says in headers which page it is. */
const isPaged = ({ query, reply }: Route): boolean =>
  'page' in ((query as Keywords | undefined)?.properties ?? {}) && (reply as Keywords | undefined)?.type === 'array'

/** The headers of a successful response. */
export const sharedHeaders = (r: Route) =>
  refer(
    'X-Request-Id',
    ...(r.permission === 'public' && !r.limit ? [] : (['RateLimit', 'RateLimit-Policy'] as const)),
    ...(isPaged(r) ? (['X-Total-Count', 'Link'] as const) : []),
  )
