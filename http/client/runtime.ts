/** The part of the generated client that is the same for every version: `print.ts` replaces the operations below. */

export interface Operation {
  params: object
  query: object
  body: unknown
  answer: unknown
  code: string
}

// <operations>
export interface Operations {
  [name: `${string} /${string}`]: Operation
}
// </operations>

/** The body of an API error (RFC 9457). */
export interface ProblemDetails {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  /** Stable: test this, never the texts. */
  code: string
  requestId: string
  errors?: readonly { in: string; name: string; code: string; message: string }[]
}

/** A request that was refused, or not answered by the API at all: then `code` is `unreadable`. */
export class TidemarkError extends Error {
  /** The operation, `METHOD /path`. */
  readonly operation: string
  readonly status: number
  readonly code: string
  readonly problem: ProblemDetails | undefined

  constructor(operation: string, status: number, problem: ProblemDetails | undefined, text: string) {
    super(problem ? `${problem.code}: ${problem.detail}` : `${status}: ${text.slice(0, 200)}`)
    this.name = 'TidemarkError'
    this.operation = operation
    this.status = status
    this.code = problem?.code ?? 'unreadable'
    this.problem = problem
  }
}

/** The error codes of an operation. */
export type CodeOf<K extends keyof Operations> = Operations[K]['code']
/** `page`, if the query has it; never for an operation without query parameters. */
type PageParameter<Query> = string extends keyof Query ? never : Extract<keyof Query, 'page'>
/** Operations with paged responses. */
export type PagedOperation = {
  [K in keyof Operations]: [PageParameter<Operations[K]['query']>] extends [never] ? never : K
}[keyof Operations]
/** The error of an operation that was refused. */
export type ErrorOf<K extends keyof Operations> = TidemarkError & {
  readonly operation: K
  readonly code: CodeOf<K> | 'unreadable'
}

/** Whether `error` is a refusal of this operation: then the type of its code is known. */
export const isRefusal = <K extends keyof Operations>(error: unknown, operation: K): error is ErrorOf<K> =>
  error instanceof TidemarkError && error.operation === operation

export interface ClientOptions {
  /** Base URL of the product, `https://tidemark.example.com`. */
  url: string
  /** An access token or a personal access token; a function is called before each request. */
  token?: string | (() => string | Promise<string>)
  /** How often a request is repeated that was refused for now (429, 503) or not answered; default: 2. */
  retries?: number
  /** Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch
}

type InputOrAny<T> = keyof T extends never ? unknown : T
type Part<Name extends string, T> = [T] extends [never]
  ? unknown
  : Record<string, never> extends T
    ? Partial<Record<Name, T>>
    : Record<Name, T>
export type Input<K extends keyof Operations> = Part<'params', Operations[K]['params']> &
  Part<'query', Operations[K]['query']> &
  Part<'body', Operations[K]['body']> & { signal?: AbortSignal }
type Arguments<K extends keyof Operations> =
  Record<string, never> extends Input<K> ? [input?: InputOrAny<Input<K>>] : [input: Input<K>]

interface Loose {
  params?: Readonly<Record<string, unknown>>
  query?: Readonly<Record<string, unknown>>
  body?: unknown
  signal?: AbortSignal
}

interface ParsedResponse {
  data: unknown
  hasNext: boolean
}

export class Tidemark {
  readonly #options: ClientOptions

  constructor(options: ClientOptions) {
    this.#options = options
  }

  /**
   * Calls one operation, `METHOD /path`. @throws TidemarkError if it is refused; what `fetch` throws if nothing answers
   */
  async call<K extends keyof Operations>(name: K, ...[input]: Arguments<K>): Promise<Operations[K]['answer']> {
    return (await this.#ask(name, (input ?? {}) as Loose)).data as Operations[K]['answer']
  }

  /** The pages of a list, from the first or the given one on. */
  async *pages<K extends PagedOperation>(name: K, ...[input]: Arguments<K>): AsyncGenerator<Operations[K]['answer']> {
    const given = (input ?? {}) as Loose
    for (let page = Number(given.query?.['page'] ?? 1); ; page++) {
      const { data, hasNext } = await this.#ask(name, { ...given, query: { ...given.query, page } })
      yield data as Operations[K]['answer']
      if (!hasNext) return
    }
  }

  async #ask(name: string, { params = {}, query = {}, body, signal }: Loose): Promise<ParsedResponse> {
    const [method = 'GET', path = ''] = name.split(' ')
    const place = path.replaceAll(/\{(\w+)\}/g, (_whole, one: string) => segment(one, params[one]))
    const url = new URL(`${this.#options.url.replace(/\/$/, '')}${place}`)
    for (const [one, value] of Object.entries(query)) append(url.searchParams, one, value)
    const headers: Record<string, string> = { Accept: 'application/json' }
    if (body !== undefined) headers['Content-Type'] = 'application/json'
    // A repeated request is executed once.
    if (method === 'POST') headers['Idempotency-Key'] = crypto.randomUUID()
    const request = {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    }
    return parseResponse(name, await this.#tried(url, request))
  }

  async #tried(url: URL, request: SentRequest): Promise<Response> {
    const { retries = 2, fetch: ask = globalThis.fetch } = this.#options
    for (let left = retries; ; left--) {
      const headers = { ...request.headers, ...(await this.#authorization()) }
      const response = await ask(url, { ...request, headers }).catch((error: unknown) => {
        if (left <= 0 || request.signal?.aborted) throw error
      })
      if (response && (left <= 0 || !putOff.has(response.status))) return response
      await response?.body?.cancel()
      await pause(response?.headers.get('Retry-After'))
    }
  }

  async #authorization(): Promise<Record<string, string>> {
    const { token } = this.#options
    const secret = typeof token === 'function' ? await token() : token
    return secret === undefined ? {} : { Authorization: `Bearer ${secret}` }
  }
}

interface SentRequest {
  method: string
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
}

/** Too many requests; temporarily unavailable. */
const putOff: ReadonlySet<number> = new Set([429, 503])

/** At most a minute; default: a second. */
async function pause(retryAfter: string | null | undefined): Promise<void> {
  const seconds = Number(retryAfter ?? 1)
  const ms = Math.min(60, Number.isFinite(seconds) ? seconds : 1) * 1000
  await new Promise((resolve) => setTimeout(resolve, ms))
}

/** @throws TypeError if it would lead to another path, in any encoding */
function segment(name: string, value: unknown): string {
  const text = String(value as string | number)
  if (text === '' || text === '.' || text === '..') throw new TypeError(`${name} cannot be "${text}"`)
  return encodeURIComponent(text)
}

/** A list is repeated; a map has one parameter per key: `name[key]=value`. */
function append(to: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined || value === null) return
  if (Array.isArray(value)) for (const one of value) append(to, name, one)
  else if (typeof value === 'object')
    for (const [member, one] of Object.entries(value as object)) append(to, `${name}[${member}]`, one)
  else to.append(name, String(value as string | number | boolean))
}

async function parseResponse(operation: string, response: Response): Promise<ParsedResponse> {
  const text = await response.text()
  const isJson = response.headers.get('Content-Type')?.includes('json') === true
  const said: unknown = isJson && text !== '' ? JSON.parse(text) : text
  if (!response.ok)
    throw new TidemarkError(operation, response.status, isJson ? (said as ProblemDetails) : undefined, text)
  const data = said === '' ? undefined : member(said, 'data', said)
  const isLinked = /rel="?next"?/.test(response.headers.get('Link') ?? '')
  return { data, hasNext: isLinked || member(data, 'hasMore', false) === true }
}

const member = (of: unknown, name: string, otherwise: unknown): unknown =>
  typeof of === 'object' && of !== null && name in of ? (of as Record<string, unknown>)[name] : otherwise
