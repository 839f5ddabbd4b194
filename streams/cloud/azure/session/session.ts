/**
 * An Azure subscription during one call of the connector: sends requests as the account's application. The resource
 * manager is asked directly, because its dozens of types differ in nothing but path and version, and Azure has a package
 * for each; metrics and logs are read by Azure's packages (`package.ts`).
 */
import { parseJson } from '#engine/value/json.ts'
import type { Fault } from '#engine/value/fault.ts'
import { decoder, t, type Static } from '#engine/value/schema.ts'
import { cloudFault, isCredentialsRefused, type CloudAccount } from '#streams/cloud/connector.ts'
import { memberOf, objectOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { hostsOf } from './credentials.ts'
import { tokensOf, type TokenOptions, type Tokens } from './token.ts'
import { azureFault, AzureRefusal, type AzureCallInfo } from './fault.ts'
import { fetchAnswer, type AzureAnswer } from './fetch.ts'
import type { HttpClient } from '@azure/core-rest-pipeline'
import { httpClientOf } from './package.ts'
import { permissionOf, serviceOf, typeIn, type Host } from './path.ts'

export type AzureOptions = TokenOptions

/** Audiences that are the same in all clouds of Azure. */
export const audiences = {
  storage: 'https://storage.azure.com',
  clusters: '6dae42f8-4368-4678-94ff-3960e28e3630',
  databricks: '2ff814a6-3304-4ab8-85cb-cd0e6f879c1d',
} as const

export interface Call {
  host?: Host
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** From the root of the host. */
  path: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: unknown
  /** Sent as it is, in place of a body in JSON. */
  content?: Uint8Array
  /** The Azure permission for the call; derived from the path if missing. */
  permission?: string
  /** False if a repeat might act twice. */
  repeatable?: boolean
}

/** An item of a list; Azure may leave out any other member. */
const Item = t.Object({ id: t.String({ minLength: 1, maxLength: 1024 }) }, { additionalProperties: true })
export type Item = Static<typeof Item> & Json

const decodePage = decoder(
  t.Object(
    {
      value: t.Optional(t.Union([t.Array(Item), t.Null()])),
    },
    { additionalProperties: true },
  ),
)

/** Maximum pages of one list. */
const pagesMax = 20_000

export interface AzureReply extends Pick<AzureAnswer, 'status' | 'headers'> {
  object: Json
}

export class AzureSession {
  readonly account: CloudAccount
  readonly signal: AbortSignal | undefined
  readonly tokens: Tokens
  /** Those of the account's cloud. */
  readonly hosts: ReturnType<typeof hostsOf>
  private readonly options: AzureOptions

  /** @throws a `user_action` fault for invalid credentials */
  constructor(account: CloudAccount, options: AzureOptions, signal?: AbortSignal) {
    this.account = account
    this.options = options
    this.signal = signal
    this.hosts = hostsOf(account)
    this.tokens = tokensOf(account, options, signal)
  }

  /** `/subscriptions/<id>`, followed by `rest`. */
  path(rest = ''): string {
    return `/subscriptions/${this.account.externalId}${rest}`
  }

  /** The object in the answer; empty if there is none. @throws a `cloudFault` (see `fault.ts`) */
  async ask(call: Call): Promise<Json> {
    return (await this.read(call)).object
  }

  /** As `ask`, with the status and the headers of the answer. */
  read(call: Call): Promise<AzureReply> {
    return this.sending(call, ({ status, headers, body }) => ({ status, headers, object: this.objectIn(body, call) }))
  }

  /** The items of a list, page by page. */
  async *pages(call: Call): AsyncGenerator<Item[]> {
    for await (const answer of this.answers(call)) yield [...(this.page(answer, call).value ?? [])] as Item[]
  }

  /** The pages of a list as they are, for items without ids. */
  async *answers(call: Call): AsyncGenerator<Json> {
    let next: Call | undefined = call
    let before = ''
    for (let page = 0; next && page < pagesMax; page++) {
      const answer: Json = await this.ask(next)
      yield answer
      const nextLink = memberOf(answer, 'nextLink')
      if (typeof nextLink !== 'string' || nextLink === '' || nextLink === before) return
      before = nextLink
      next = { ...call, ...this.linked(nextLink, call) }
    }
  }

  /** The complete answer, for content other than JSON. */
  raw(call: Call): Promise<AzureAnswer> {
    return this.sending(call, (answer) => answer)
  }

  /**
   * A call by a client of Azure's packages, which sends with what it is given: to the host of the call, with its token
   * and its limits, and without repeats of its own. @throws as `ask`
   */
  packaged<T>(
    call: Required<Pick<Call, 'path' | 'permission'>> & { host: PackagedHost },
    ask: (httpClient: HttpClient) => Promise<T>,
  ): Promise<T> {
    const origin = this.origin(call.host)
    return this.called({ ...call, method: 'POST' }, (signal) =>
      ask(httpClientOf(origin, (one) => this.once({ ...one, host: call.host }, signal))),
    )
  }

  /** What `read` makes of the answer; if that throws, it is asked again. */
  private sending<T>(call: Call, read: (answer: AzureAnswer) => T): Promise<T> {
    return this.called(call, async (signal) => read(await this.once(call, signal)))
  }

  private async called<T>(call: Call, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { method = 'GET', path, repeatable = true } = call
    const permission = call.permission ?? permissionOf(method, path)
    const asked = { operation: `${method} ${typeIn(path)}`, permission }
    const door = {
      provider: 'azure',
      account: this.account.id,
      service: serviceOf(path, call.host),
      region: typeof call.host === 'object' && 'metrics' in call.host ? call.host.metrics : '',
      operation: permission,
    }
    // Sign-in has its own retries; getting the token first keeps these from multiplying with the call's.
    await this.tokens.of(this.audience(call.host))
    return this.options.caller.call(door, ask, (error) => this.faultOf(error, asked), {
      signal: this.signal,
      repeatable,
    })
  }

  private objectIn(body: Buffer, call: Call): Json {
    if (body.length === 0) return {}
    try {
      return objectOf(parseJson(body.toString('utf8')))
    } catch (error) {
      throw this.unread(call, error)
    }
  }

  private page(answer: unknown, call: Call) {
    try {
      return decodePage(answer)
    } catch (error) {
      throw this.unread(call, error)
    }
  }

  private unread({ method = 'GET', path }: Call, error?: unknown): Fault {
    return cloudFault('system', 'unknown_answer', `${method} ${typeIn(path)}: the response cannot be read.`, {}, error)
  }

  /** The link to the next page is only followed on the same host. */
  private linked(link: string, call: Call): Pick<Call, 'path' | 'query'> {
    const url = URL.parse(link, this.base(call.host))
    const hosts = [this.hosts.arm, this.base(call.host)].map((one) => new URL(one).host)
    if (!url || !hosts.includes(url.host)) throw this.unread(call)
    return { path: url.pathname, query: Object.fromEntries(url.searchParams) }
  }

  /** If the cloud refuses the token, gets a new one and repeats once. */
  private async once(call: Call, signal: AbortSignal): Promise<AzureAnswer> {
    const audience = this.audience(call.host)
    const given = await this.tokens.of(audience)
    const answer = await this.sent(call, given, signal)
    if (answer.status !== 401) return requireSuccess(answer)
    const token = await this.tokens.of(audience, true)
    if (token === given) return requireSuccess(answer)
    return requireSuccess(await this.sent(call, token, signal))
  }

  private sent(call: Call, token: string, signal: AbortSignal): Promise<AzureAnswer> {
    const { method = 'GET', path, query = {}, headers = {}, body, content } = call
    const asked = new URLSearchParams(query).toString()
    return fetchAnswer(`${this.base(call.host)}${path}${asked === '' ? '' : `?${asked}`}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        'user-agent': 'tidemark',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? content : JSON.stringify(body),
      signal,
      isInside: this.options.endpoint !== undefined,
      accountId: this.account.id,
    })
  }

  /** A stand-in has one address for all hosts; for blobs followed by the name of the storage account. */
  private base(host: Host = 'arm'): string {
    const endpoint = this.options.endpoint?.replace(/\/+$/, '')
    if (host === 'arm') return endpoint ?? this.hosts.arm
    if (host === 'logs' || 'metrics' in host) return endpoint ?? this.origin(host)
    const { databricks, blobs } = this.hosts
    if ('workspace' in host)
      return `${endpoint ? `${endpoint}/` : 'https://'}${workspaceOf(host.workspace, databricks)}`
    return endpoint ? `${endpoint}/${labelOf(host.blobs)}` : `https://${labelOf(host.blobs)}.${blobs}`
  }

  /** The address that Azure's packages are given. */
  origin(host: PackagedHost): string {
    const { logs, metrics } = this.hosts
    return host === 'logs' ? logs : metrics.replace('https://', `https://${labelOf(host.metrics)}.`)
  }

  private audience(host: Host = 'arm'): string {
    if (host === 'arm' || host === 'logs') return this.hosts[host]
    if ('workspace' in host) return audiences.databricks
    return 'metrics' in host ? this.hosts.metrics : audiences.storage
  }

  private faultOf(error: unknown, asked: Omit<AzureCallInfo, 'portal'>): Fault {
    const { arm, logs, metrics, portal } = this.hosts
    const fault = azureFault(error, { ...asked, portal })
    if (isCredentialsRefused(fault))
      for (const audience of [arm, logs, metrics, ...Object.values(audiences)]) this.tokens.forget(audience)
    return fault
  }
}

/** Hosts that Azure's packages ask. */
type PackagedHost = 'logs' | { metrics: string }

/** A label of a host name. @throws a `system` fault for anything else */
function labelOf(text: string): string {
  if (/^[a-z0-9]{1,63}$/.test(text)) return text
  throw cloudFault('system', 'unknown_answer', `${text.slice(0, 80)} is not an Azure host name.`)
}

/** @throws a `system` fault if it is not a workspace of the account's cloud, whose hosts are below `root` */
function workspaceOf(host: string, root: string): string {
  const [, name] = /^(adb-\d{1,20}\.\d{1,2})\.[a-z.]+$/.exec(host) ?? []
  if (name !== undefined && host === `${name}.${root}`) return host
  throw cloudFault('system', 'unknown_answer', `${host.slice(0, 80)} is not a Databricks workspace.`)
}

/** @throws AzureRefusal for an error status */
function requireSuccess(answer: AzureAnswer): AzureAnswer {
  const { status, headers, body } = answer
  if (status >= 200 && status < 300) return answer
  const { word, said } = saidIn(body.toString('utf8', 0, 64 * 1024), headers)
  throw new AzureRefusal(status, word, said, retryAfterOf(headers))
}

/** Error code and message: the resource manager sends JSON, storage sends XML and the code in a header. */
function saidIn(text: string, headers: AzureAnswer['headers']): { word: string; said: string } {
  try {
    const answer = parseJson(text)
    const error = memberOf(answer, 'error') ?? memberOf(answer, 'odata.error') ?? answer
    const word = textAt(error, 'code') ?? textAt(error, 'Code') ?? textAt(error, 'error_code') ?? ''
    return { word, said: (textAt(error, 'message') ?? textAt(error, 'Message') ?? '').slice(0, 500) }
  } catch {
    const said = /<Message>([^<\n]*)/.exec(text)?.[1] ?? ''
    return { word: String(headers['x-ms-error-code'] ?? ''), said: said.slice(0, 500) }
  }
}

/** Cost Management limits calls by several measures, each with a header of its own. */
const retryHeader = /^retry-after$|^x-ms-ratelimit-microsoft\.[a-z]+-.*retry-after$/

/** Milliseconds: the longest that a header asks for. Headers have seconds or a date. */
function retryAfterOf(headers: AzureAnswer['headers']): number {
  const told = Object.entries(headers).flatMap(([name, value]) => (retryHeader.test(name) ? String(value) : []))
  const pauses = told.map((text) => (/^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()))
  return Math.max(0, ...pauses.filter((ms) => Number.isFinite(ms)))
}
