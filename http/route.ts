import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Query } from '#analytics/query.ts'
import type { Static, TObject, TSchema } from '#engine/schema.ts'
import type { Subject } from '#engine/subject.ts'
import type { Exports } from '#http/export/file.ts'
import type { Permission, Rights } from '#http/identity/role.ts'
import type { Identity } from '#http/identity/index.ts'
import type { Client } from '#http/identity/tools.ts'
import type { Connector } from '#streams/cloud/connector.ts'
import type { FaultPlan } from '#streams/cloud/simulated/faults.ts'
import type { Mail } from '#streams/delivery/email.ts'
import type { JobName } from '#streams/job.ts'
import type { Provider } from '#streams/names.ts'

/** Who calls, and what they may do in the organization they work in. */
export interface Caller extends Rights {
  /** Empty while a session has no organization, and for calls of our own services that name none. */
  readonly orgId: string
  readonly userId: string
  /** A person signed in, a personal access token, one of our own services, or nobody. */
  readonly kind: 'session' | 'pat' | 'internal' | 'anonymous'
  /** What called: `session:<id>`, `pat:<id>`, `svc:<name>`. */
  readonly principal: string
  readonly sessionId?: string
}

export interface Settings {
  /** Which of the four FOCUS costs reports show unless they are asked for another (decision G-47). */
  readonly reportCost: 'billed' | 'effective'
  /** The addresses this service calls from; empty when the operator has not said. */
  readonly egressCidrs: readonly string[]
  /** Whether addresses that customers give may lead into private networks. */
  readonly allowPrivateAddresses: boolean
  /** Where callers reach this service, without a slash at the end. */
  readonly publicUrl: string
}

/** Ways for tests to drive time and the simulated cloud from outside; there only when the operator switched them on. */
export interface Hooks {
  readonly setClock: (now: Date) => Promise<void>
  /** Replaces the simulated cloud's plan of faults. */
  readonly faults: (plan: FaultPlan) => Promise<void>
  /** Runs everything that is due now, once. An id of the run. */
  readonly tick: () => Promise<string>
  /**
   * Runs a job of one organization, or of all that have it; resolves once what it led to has taken effect. The id of the run.
   * @throws Fault `missing` for an organization there is not
   */
  readonly runJob: (job: JobName, of: { orgId?: string; date?: string; period?: string }) => Promise<string>
  /** What was written to the outbox file. */
  readonly mails: () => Promise<(Mail & { at: string })[]>
}

/** Tells an actor of a change, in its transaction. The subject is declared `once`. */
export type Tell = <S extends TSchema>(subject: Subject<S>, data: Static<S>) => Promise<void>

/** What a question is asked with, but for the organization. */
type Asked<P> = Omit<P, 'org'>

/**
 * What a handler may use, built once per request. Everything is bound to the caller's organization: no other can be named,
 * and none be forgotten.
 */
export interface Services {
  /**
   * A fork per request that sees the rows of the organization alone. Rows of actors are for reads: a change is a message to
   * the actor that owns the row.
   */
  readonly em: EntityManager
  readonly analytics: <P extends TObject, R extends TObject>(
    q: Query<P, R>,
    params: Asked<Static<P>>,
  ) => Promise<Static<R>[]>
  /** The same, row by row: the values of its columns in their order, not decoded. For what is too much to be held. */
  readonly stream: <P extends TObject, R extends TObject>(
    q: Query<P, R>,
    params: Asked<Static<P>>,
  ) => AsyncGenerator<readonly unknown[], void>
  /**
   * Delivers a command to its actor; resolves with the actor's reply once the turn has committed.
   * @throws the turn's `Fault`, or Fault `transient` `unavailable`
   */
  readonly ask: <S extends TSchema>(subject: Subject<S>, data: Static<S>) => Promise<unknown>
  /**
   * Changes plain records in one transaction, and tells actors of it: what is told is published however this process ends,
   * and has taken effect when this resolves (within ten seconds, else a little later). For a POST `work` returns the whole
   * answer, by `reply`: under an Idempotency-Key it is kept in the same transaction.
   */
  readonly change: <T>(work: (em: EntityManager, tell: Tell) => Promise<T>) => Promise<T>
  /** An id for what is made beside a transaction of ours: a repeat under the same Idempotency-Key draws the same. */
  readonly newId: () => string
  /** Who people are, over all organizations: for the routes of identity. */
  readonly identity: Identity
  readonly connector: (provider: Provider) => Connector
  /** Encrypts credentials for storage: AES-256-GCM, base64. */
  readonly seal: (secret: unknown) => string
  /** What `seal` was given. @throws Fault `defect` when it was sealed under another key */
  readonly open: (sealed: string) => unknown
  readonly now: () => Date
  readonly settings: Settings
  readonly exports: Exports
  readonly hooks?: Hooks
}

/**
 * Who may call a route: holders of a permission; owners and admins (`admin`); people signed in, but no token (`session`);
 * both of them, whatever their role (`user`); our own services (`internal`); anyone without a token (`public`).
 */
export type Access = Permission | 'admin' | 'session' | 'user' | 'internal' | 'public'

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
  /** Works without an organization too. */
  orgOptional?: true
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
  /** The body is one file of this media type, by itself or as the field `file` of a form; the handler reads it. Carried out each time, whatever its Idempotency-Key. */
  upload?: string
  /** The payload inside `{ data }`, or the whole body when `bare`. Left out for 204. */
  reply?: TSchema
  /** What is answered as `meta` beside `data`. */
  meta?: TSchema
  /** Default 200. */
  status?: 200 | 201 | 202 | 204 | 303
  bare?: true
  /** The payload is text or bytes of this media type and is sent as it is. */
  media?: string
  /** Response headers worth naming in the document, with what they hold. */
  headers?: Readonly<Record<string, string>>
  /** Still served, but on its way out: dates as ISO 8601, `link` to what replaces it. */
  deprecated?: { since: string; sunset?: string; link?: string }
  /** Left out of the public document. */
  hidden?: true
  handle: (request: Request<never, never, never>, services: Services) => Promise<unknown>
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
export const takesBody = ({ method, body }: Route): boolean =>
  method !== 'GET' && (method !== 'DELETE' || body !== undefined)

interface Said {
  headers?: Readonly<Record<string, string>>
  status?: number
  /** The payload is text, bytes or a stream of this media type and is sent as it is, whatever the route's others are. */
  media?: string
  /** What is said as `meta` beside `data`; the route declares it. */
  meta?: unknown
}

/** A payload with a status, headers or a media type of its own. Made by `reply`. */
export class Reply<T> {
  readonly payload: T
  readonly headers: Readonly<Record<string, string>>
  readonly status: number | undefined
  readonly media: string | undefined
  readonly meta: unknown

  constructor(payload: T, options: Said) {
    this.payload = payload
    this.headers = options.headers ?? {}
    this.status = options.status
    this.media = options.media
    this.meta = options.meta
  }
}

/** What a handler returns to say more than the payload: `Location`, `Link`, another status. */
export const reply = <T>(payload: T, options: Said) => new Reply(payload, options)

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
type Answer<R> = R extends TSchema ? Static<R> | Reply<Static<R>> : void

interface Declaration<P, Q, B, R> extends Omit<Route, 'params' | 'query' | 'body' | 'reply' | 'handle'> {
  params?: P
  query?: Q
  body?: B
  reply?: R
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
