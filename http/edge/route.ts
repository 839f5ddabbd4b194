import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Fault } from '#engine/value/fault.ts'
import type { Static, TObject, TSchema } from '#engine/value/schema.ts'
import type { Answer as Problem } from '#http/edge/problem.ts'
import type { Access, Caller } from '#http/identity/organization/caller.ts'
import { Reply } from '#http/store/reply.ts'
import type { Services } from '#http/edge/services.ts'
import type { Client } from '#http/identity/tools.ts'
import type { Refusals } from '#http/edge/problem.ts'

/** One endpoint, as the edge, the OpenAPI printer and the tests see it. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Koa path; its `:names` are the keys of `params`. */
  path: string
  /** Unique; the OpenAPI operationId. Made of the method and path where it is left out. */
  id?: string
  summary: string
  description?: string
  permission: Access
  /** Changes, or shows, what report scopes contain: for roles that see all costs. The others get 403 `report_scope`. */
  unscoped?: true
  /** Works without an organization too. */
  orgOptional?: true
  /** Works in an organization that waits for its deletion too. */
  whileClosed?: true
  /** Takes tokens of our own services too, for the organization they name. */
  alsoInternal?: true
  /** What a public route takes from one address: `auth` 20 a minute, `inbound` 600. Others are limited by who calls. */
  limit?: 'auth' | 'inbound'
  tags?: readonly string[]
  params?: TObject
  /**
   * Array properties take repeated parameters and, unless declared by `repeated`, comma lists. Others are refused twice.
   * Parameters that stand in no property are refused, here and where there is no query at all, unless the schema says
   * `additionalProperties: true`.
   */
  query?: TObject
  /** Members it does not declare are refused, at any depth, as those of `query` are. Left out, a body has none. */
  body?: TSchema
  /** The body is a form (application/x-www-form-urlencoded), not JSON. */
  form?: true
  /** Whatever body is sent is of no interest, nor what it is: it is not read. */
  unread?: true
  /** The body is one file of this media type, by itself or as the field `file` of a form; the handler reads it. Carried out each time, whatever its Idempotency-Key. */
  upload?: string
  /** Carried out each time, whatever its Idempotency-Key: who asks is said by a cookie, which a key does not stand for. */
  unkeyed?: true
  /** Changes nothing, though it is a POST: carried out each time, whatever its Idempotency-Key, and no answer of it is kept. */
  readOnly?: true
  /** With `upload`: what the document shows of its body. */
  uploaded?: unknown
  /** With `upload`: the form may have several fields `file`. */
  files?: true
  /** The payload inside `{ data }`, or the whole body when `bare`. Left out for 204. */
  reply?: TSchema
  /** What the document shows of `reply`, where its schema has no example of its own. */
  example?: unknown
  /** What is answered as `meta` beside `data`. */
  meta?: TSchema
  /** Default 200. */
  status?: 200 | 201 | 202 | 204 | 303
  /** Answered with the same where there was nothing to do. */
  elseStatus?: 200
  /** The codes that it refuses with, by their status, beside those that follow from its form. */
  refuses?: Refusals
  bare?: true
  /** The payload is text or bytes of this media type and is sent as it is. */
  media?: string
  /** With `upload`: the body is that alone, never a form. */
  raw?: true
  /** The variable of a setting without which it is not served, nor in the document. */
  onlyWith?: string
  /** Answers with a token, a secret or a link that stands for one: nobody on the way may keep it. */
  secret?: true
  /** Request headers of its own that its handler reads, with what they hold. */
  takes?: Readonly<Record<string, string>>
  /** Response headers worth naming in the document, with what they hold. */
  headers?: Readonly<Record<string, string>>
  /** Still served, but on its way out: dates as ISO 8601, `link` to what replaces it. */
  deprecated?: { since: string; sunset?: string; link?: string }
  /** Another media type of JSON, which its body may be of and its answers are. */
  json?: string
  /** How refusals are said where they are no problem documents. */
  refusal?: Refusal
  /** Left out of the public document. */
  hidden?: true
  handle: (request: Request<never, never, never>, services: Services) => Promise<unknown>
}

/** A form of refusals that a standard demands. */
export interface Refusal {
  media: string
  schema: TSchema
  say: (answer: Problem, fault: Fault) => unknown
}

export interface Request<P, Q, B> {
  readonly caller: Caller
  readonly client: Client
  readonly params: P
  readonly query: Q
  readonly body: B
  /** The body of a route that declares `upload`, unread. */
  readonly upload?: IncomingMessage
  /** Path and query as they came, without the `/api` prefix. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Whether a request's body is read: that of DELETE only where the route declares one. */
export const takesBody = ({ method, body, unread }: Route): boolean =>
  method !== 'GET' && !unread && (method !== 'DELETE' || body !== undefined)

/** Whether a repeat under the same Idempotency-Key is answered as the first was. An upload is not compared with the one before: values it gives again replace themselves. */
export const isKeyed = ({ method, upload, unkeyed, readOnly }: Route): boolean =>
  method === 'POST' && !upload && !unkeyed && !readOnly

/** Answers with a file, as it is read: a stream's errors end the connection. `headers` go beside those of every file. */
export const attachment = (
  content: Readable,
  { name, media, headers }: { name: string; media: string; headers?: Readonly<Record<string, string>> },
): Reply<never> =>
  new Reply(content as never, {
    media,
    headers: {
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'private, no-store',
      ...headers,
    },
  })

type Of<S> = S extends TSchema ? Static<S> : undefined
type Answer<R> = R extends TSchema ? Static<R> | Reply<Static<R>> : void | Reply<undefined>

interface Declaration<P, Q, B, R> extends Omit<Route, 'params' | 'query' | 'body' | 'reply' | 'example' | 'handle'> {
  params?: P
  query?: Q
  body?: B
  reply?: R
  example?: R extends TSchema ? Static<R> : never
  handle: (request: Request<Of<P>, Of<Q>, Of<B>>, services: Services) => Promise<Answer<R>>
}

/** Declares an endpoint: the handler's types follow from the schemas. */
export function route<
  R extends TSchema | undefined = undefined,
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(declaration: Declaration<P, Q, B, R>): Route {
  return declaration as unknown as Route
}
