/**
 * An API server during one call of the connector. Uses HTTPS requests with `streams/delivery`, not
 * @kubernetes/client-node: that reads kubeconfigs, plugins and environment variables, connects to unchecked addresses,
 * accepts answers of any size, and has its own retries and timeouts.
 */
import { parseJson } from '#engine/value/json.ts'
import type { Clock } from '#engine/actor/ports.ts'
import type { Caller, Door } from '#streams/cloud/call/call.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { fetchOutside, type OutsideAnswer, type OutsideRequest } from '#streams/delivery/outbound.ts'
import { kubernetesFault, KubernetesRefusal, refusalCode } from './fault.ts'
import { objectOf, textAt, type Json } from './json-access.ts'

/** Address and credentials of a server. */
export interface KubernetesServer {
  /** https://host[:port][/path] */
  url: string
  /** PEM; if missing, public authorities are trusted. */
  ca?: string | undefined
  /** Called before each call; the provider caches the token. If missing, the client certificate is used. */
  token?: (() => Promise<string>) | undefined
  /** PEM. */
  client?: OutsideRequest['client']
  /** If missing, the whole cluster. */
  namespace?: string | undefined
}

export interface KubernetesOptions {
  caller: Caller
  clock: Clock
  /** Allows servers in private networks, and http. */
  allowPrivate: boolean
  /** Returns all addresses of a name; the system's resolver by default. */
  resolve?: OutsideRequest['resolve']
}

/** The account, and the cluster's name for people. */
export interface KubernetesPlace {
  accountId: string
  cluster: string
  /** The account is this cluster: if the cluster refuses the credentials, nothing of the account works. */
  isWholeAccount?: true
}

export interface KubernetesCall {
  /** In the form of `kubectl auth can-i`: `list deployments.apps`. */
  permission: string
  path: string
  query?: Readonly<Record<string, string>>
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  accept?: string
  /** Content type of a PATCH body. */
  contentType?: string
  body?: unknown
  /** False if a repeat might act twice. */
  repeatable?: boolean
}

/** Maximum bytes of a page. */
const bytesMax = 64 * 1024 * 1024
/**
 * Milliseconds. A server that accepts no connection should not delay others; the caller's own limit is for slow
 * answers.
 */
const timeoutMs = 30_000
const tokenShape = /^[\x21-\x7e]{1,16384}$/

export class KubernetesApi {
  readonly place: KubernetesPlace
  readonly namespace: string | undefined
  private readonly server: KubernetesServer
  private readonly options: KubernetesOptions
  private readonly signal: AbortSignal | undefined
  private readonly door: Door

  constructor(place: KubernetesPlace, server: KubernetesServer, options: KubernetesOptions, signal?: AbortSignal) {
    this.place = place
    this.server = server
    this.namespace = server.namespace
    this.options = options
    this.signal = signal
    this.door = {
      provider: 'kubernetes',
      account: place.accountId,
      service: 'api',
      region: URL.parse(server.url)?.host ?? '',
    }
  }

  now(): Date {
    return new Date(this.options.clock.now())
  }

  /** The object in the answer. @throws a `cloudFault` (see `fault.ts`) */
  async ask(call: KubernetesCall): Promise<Json> {
    const { permission, repeatable = true } = call
    return this.options.caller.call(
      this.door,
      (signal) => this.once(call, signal),
      (error) => kubernetesFault(error, { ...this.place, permission }),
      { signal: this.signal, repeatable },
    )
  }

  private async once(call: KubernetesCall, signal: AbortSignal): Promise<Json> {
    const request = this.requestOf(call, await this.token(), signal)
    try {
      return read(await fetchOutside(this.urlOf(call), request))
    } catch (error) {
      signal.throwIfAborted()
      throw error
    }
  }

  private requestOf(
    { method = 'GET', accept = 'application/json', contentType = 'application/json', body }: KubernetesCall,
    token: string | undefined,
    signal: AbortSignal,
  ): OutsideRequest {
    const { ca, client } = this.server
    const { allowPrivate, resolve } = this.options
    const sent = body === undefined ? undefined : JSON.stringify(body)
    return {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        accept,
        'user-agent': 'tidemark',
        // Node.js sends the body of a DELETE without its length.
        ...(sent !== undefined && { 'content-type': contentType, 'content-length': String(Buffer.byteLength(sent)) }),
      },
      ...(sent !== undefined && { body: sent }),
      timeoutMs,
      bytesMax,
      allowPrivate,
      keep: `kubernetes ${this.place.accountId}`,
      signal,
      ...(ca !== undefined && { ca }),
      ...(client && { client }),
      ...(resolve && { resolve }),
    }
  }

  private async token(): Promise<string | undefined> {
    const token = await this.server.token?.()
    if (token === undefined || tokenShape.test(token)) return token
    throw cloudFault('user_action', refusalCode(this.place), `The token for ${this.place.cluster} is invalid.`)
  }

  private urlOf({ path, query = {} }: KubernetesCall): string {
    const asked = new URLSearchParams(query).toString()
    return `${this.server.url.replace(/\/+$/, '')}${path}${asked === '' ? '' : `?${asked}`}`
  }
}

function read({ status, headers, body }: OutsideAnswer): Json {
  if (status >= 200 && status < 300) return objectOf(parseJson(body.toString('utf8')))
  throw new KubernetesRefusal(status, saidIn(body), retryAfterMsOf(headers['retry-after']))
}

/** The message of a `Status` answer; empty for other answers. */
function saidIn(body: Buffer): string {
  try {
    return (textAt(parseJson(body.toString('utf8')), 'message') ?? '').slice(0, 500)
  } catch {
    return ''
  }
}

/** Kubernetes sends seconds. */
function retryAfterMsOf(header: string | undefined): number {
  const seconds = Number(header)
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0
}
