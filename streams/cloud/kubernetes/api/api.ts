/**
 * One API server, as one run of a call asks it. Plain HTTPS by `streams/delivery`, not @kubernetes/client-node: that reads
 * kubeconfigs, plugins and environment of its own, connects to addresses nobody has checked, reads answers of any length,
 * and would be a third set of repeats and time limits beside those of the caller.
 */
import { parseJson } from '#engine/value/json.ts'
import type { Clock } from '#engine/actor/ports.ts'
import type { Caller, Door } from '#streams/cloud/call/call.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { fetchOutside, type OutsideAnswer, type OutsideRequest } from '#streams/delivery/outbound.ts'
import { kubernetesFault, KubernetesRefusal } from './fault.ts'
import { objectOf, textAt, type Json } from './json-access.ts'

/** How a server is reached, and as whom. */
export interface KubernetesServer {
  /** https://host[:port][/path] */
  url: string
  /** PEM; left out: the public authorities. */
  ca?: string | undefined
  /** Asked before each call; whoever gives it keeps it for as long as it holds. */
  token: () => Promise<string>
  /** Left out: the whole cluster. */
  namespace?: string | undefined
}

export interface KubernetesOptions {
  caller: Caller
  clock: Clock
  /** Takes servers in private networks, and http: too. */
  allowPrivate: boolean
  /** All addresses of a name; the system's resolver unless given. */
  resolve?: OutsideRequest['resolve']
}

/** For whom, and what people call the cluster. */
export interface KubernetesPlace {
  accountId: string
  cluster: string
}

export interface KubernetesCall {
  /** As `kubectl auth can-i` takes it: `list deployments.apps`. */
  permission: string
  path: string
  query?: Readonly<Record<string, string>>
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  accept?: string
  /** Of the body of a PATCH. */
  contentType?: string
  body?: unknown
  /** False where asking twice may do it twice. */
  repeatable?: boolean
}

/** Of one page. */
const bytesMax = 64 * 1024 * 1024
/** A server that takes no connection holds nobody up for long; the caller's own limit is for slow answers. */
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

  /** The object that is answered. @throws a `cloudFault`, as `fault.ts` says */
  async ask(call: KubernetesCall): Promise<Json> {
    const { permission, repeatable = true } = call
    return this.options.caller.call(
      this.door,
      (signal) => this.once(call, signal),
      (error) => kubernetesFault(error, { permission, cluster: this.place.cluster }),
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
    token: string,
    signal: AbortSignal,
  ): OutsideRequest {
    const { ca } = this.server
    const { allowPrivate, resolve } = this.options
    return {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept,
        'user-agent': 'tidemark',
        ...(body !== undefined && { 'content-type': contentType }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      timeoutMs,
      bytesMax,
      allowPrivate,
      keep: `kubernetes ${this.place.accountId}`,
      signal,
      ...(ca !== undefined && { ca }),
      ...(resolve && { resolve }),
    }
  }

  private async token(): Promise<string> {
    const token = await this.server.token()
    if (tokenShape.test(token)) return token
    throw cloudFault('user_action', 'cluster_credentials_refused', `The token for ${this.place.cluster} is invalid.`)
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

/** What the `Status` of the answer says; nothing of an answer that is none. */
function saidIn(body: Buffer): string {
  try {
    return (textAt(parseJson(body.toString('utf8')), 'message') ?? '').slice(0, 500)
  } catch {
    return ''
  }
}

/** Kubernetes writes seconds. */
function retryAfterMsOf(header: string | undefined): number {
  const seconds = Number(header)
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0
}
