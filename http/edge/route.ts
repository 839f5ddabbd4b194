/** Declares routes: method, path, schemas, limits and handler of one endpoint, as a value. */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Fault } from '#engine/value/fault.ts'
import type { Static, TObject, TSchema } from '#engine/value/schema.ts'
import type { ProblemResponse as Problem } from '#http/edge/problem.ts'
import type { Access, Caller } from '#http/identity/organization/caller.ts'
import { Reply } from '#http/store/reply.ts'
import type { Services } from '#http/edge/services.ts'
import type { Client } from '#http/identity/tools.ts'
import type { Refusals } from '#http/edge/problem.ts'

/** One endpoint, as used by the edge, the OpenAPI printer and the tests. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Koa path; its `:names` are the keys of `params`. */
  path: string
  /** Unique; the OpenAPI operationId. Derived from method and path by default. */
  id?: string
  summary: string
  description?: string
  permission: Access
  /**
   * Changes or shows what report scopes contain, so only for roles that see all costs. Others get 403 `report_scope`.
   */
  unscoped?: true
  /** Also works without an organization. */
  orgOptional?: true
  /** Also works in an organization that is scheduled for deletion. */
  whileClosed?: true
  /** Also accepts tokens of our own services, for the organization they name. */
  alsoInternal?: true
  /**
   * Rate limit of a public route per address: `auth` 20 a minute, `inbound` 600. Other routes are limited per caller.
   */
  limit?: 'auth' | 'inbound'
  tags?: readonly string[]
  params?: TObject
  /**
   * Array properties accept repeated parameters and, unless declared by `repeated`, lists separated by commas. Other
   * parameters may not be repeated.
   * Undeclared parameters are refused, also without a query schema, unless the schema says `additionalProperties:
   * true`.
   */
  query?: TObject
  /** Undeclared members are refused at any depth, like those of `query`. Default: no body members. */
  body?: TSchema
  /** The body is a form (application/x-www-form-urlencoded), not JSON. */
  form?: true
  /** The body is ignored and not read. */
  unread?: true
  /**
   * The body is one file of this media type, directly or as the field `file` of a form; the handler reads it. Executed
   * each time, regardless of its Idempotency-Key.
   */
  upload?: string
  /**
   * Executed each time, regardless of its Idempotency-Key, because the caller is identified by a cookie, which the key
   * does not include.
   */
  unkeyed?: true
  /**
   * Changes nothing although it is a POST: executed each time, regardless of its Idempotency-Key, and no response is
   * kept.
   */
  readOnly?: true
  /** With `upload`: the example of its body in the document. */
  uploaded?: unknown
  /** With `upload`: the form may have several fields `file`. */
  files?: true
  /** The payload inside `{ data }`, or the whole body if `bare`. Left out for 204. */
  reply?: TSchema
  /** The example of `reply`, if its schema has none. */
  example?: unknown
  /** The `meta` returned next to `data`. */
  meta?: TSchema
  /** Default 200. */
  status?: 200 | 201 | 202 | 204 | 303
  /** The status if there was nothing to do. */
  elseStatus?: 200
  /** The refusal codes by status, in addition to those that follow from its declaration. */
  refuses?: Refusals
  bare?: true
  /** The payload is text or bytes of this media type and is sent unchanged. */
  media?: string
  /** Media types of files that it returns on request instead. */
  alsoMedia?: readonly string[]
  /** With `upload`: the body is only the file, never a form. */
  raw?: true
  /** The environment variable of a setting without which the route is neither served nor documented. */
  onlyWith?: string
  /** Returns a token, a secret or a link equivalent to one: the response must not be stored on the way. */
  secret?: true
  /** Request headers that its handler reads, with descriptions. */
  takes?: Readonly<Record<string, string>>
  /** Response headers to document, with descriptions. */
  headers?: Readonly<Record<string, string>>
  /** Still served, but deprecated: dates as ISO 8601, `link` to the replacement. */
  deprecated?: { since: string; sunset?: string; link?: string }
  /** Another JSON media type that its body may have and its responses do. */
  json?: string
  /** Path of the document that says how to get a token (RFC 9728); a response of 401 names it. */
  resourceMetadata?: string
  /** The form of refusals, if they are not problem documents. */
  refusal?: RefusalFormat
  /** Not in the public document. */
  hidden?: true
  handle: (request: Request<never, never, never>, services: Services) => Promise<unknown>
}

/** A form of refusals required by a standard. */
export interface RefusalFormat {
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
  /** The unread body of a route that declares `upload`. */
  readonly upload?: IncomingMessage
  /** Path and query as received, without the `/api` prefix. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Whether a request's body is read: for DELETE only if the route declares one. */
export const takesBody = ({ method, body, unread }: Route): boolean =>
  method !== 'GET' && !unread && (method !== 'DELETE' || body !== undefined)

/**
 * Whether a repeat with the same Idempotency-Key gets the first response. Uploads are not compared with previous ones:
 * values sent again replace themselves.
 */
export const isKeyed = ({ method, upload, unkeyed, readOnly }: Route): boolean =>
  method === 'POST' && !upload && !unkeyed && !readOnly

/** Returns a file as it is read: a stream error ends the connection. `headers` are added to those of every file. */
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

export interface Declaration<P, Q, B, R> extends Omit<
  Route,
  'params' | 'query' | 'body' | 'reply' | 'example' | 'handle'
> {
  params?: P
  query?: Q
  body?: B
  reply?: R
  example?: R extends TSchema ? Static<R> : never
  handle: (request: Request<Of<P>, Of<Q>, Of<B>>, services: Services) => Promise<Answer<R>>
}

/** Declares an endpoint. The handler's types follow from the schemas. */
export function route<
  R extends TSchema | undefined = undefined,
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(declaration: Declaration<P, Q, B, R>): Route {
  return declaration as unknown as Route
}
