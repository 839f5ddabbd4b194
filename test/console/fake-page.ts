/**
 * What modules of the console need of a browser to be run without one: an address with its history, two storages, and an API that a
 * test answers for. Drawing needs a real browser.
 */

export interface FakeRequest {
  /** Such as `POST /auth/browser/login`. */
  operation: string
  body: unknown
  headers: Headers
  /** The address of the page when it was sent. */
  from: string
}

export interface FakeReply {
  status?: number
  headers?: Record<string, string>
  body: object
}

/** Answers a request; what it throws is a network that does not answer. */
export type FakeApi = (request: FakeRequest) => FakeReply

class FakeStorage {
  readonly #items = new Map<string, string>()
  readonly getItem = (name: string): string | null => this.#items.get(name) ?? null
  readonly setItem = (name: string, value: string): void => void this.#items.set(name, value)
  readonly removeItem = (name: string): void => void this.#items.delete(name)
  readonly clear = (): void => this.#items.clear()
  all(): Record<string, string> {
    return Object.fromEntries(this.#items)
  }
}

export interface FakePage {
  /** Every request since the page was opened, in order. */
  requests: FakeRequest[]
  api: FakeApi
  /** Addresses that going back leads to, the one that is shown last. */
  history: string[]
  /** Of this page, and of all pages of the browser. */
  sessionStorage: FakeStorage
  localStorage: FakeStorage
  /** Loads the page at an address: listeners and storages stay. */
  open: (url: string) => void
  /** What another page of the browser did to a value of `localStorage`. */
  changeElsewhere: (key: string, newValue: string | null) => void
  /** Lets every pause of the console end at once, until the function that is returned is called. @param pauses gets their lengths, milliseconds */
  skipPauses: (pauses: number[]) => () => void
  /** Puts the globals back. */
  close: () => void
}

/** Modules of the console, as they are named in the trace of a call. */
const consoleModules = '/http/console/web/'

/** Puts the globals of a page in place. Modules of the console that read them while they load are to be imported after it. */
export function fakePage(url: string): FakePage {
  const listeners = new EventTarget()
  const page: FakePage = {
    requests: [],
    api: () => ({ status: 404, body: {} }),
    history: [url],
    sessionStorage: new FakeStorage(),
    localStorage: new FakeStorage(),
    open: (to) => {
      page.history = [to]
      page.requests = []
      listeners.dispatchEvent(new Event('popstate'))
    },
    changeElsewhere: (key, newValue) => {
      if (newValue === null) page.localStorage.removeItem(key)
      else page.localStorage.setItem(key, newValue)
      listeners.dispatchEvent(Object.assign(new Event('storage'), { key, newValue }))
    },
    skipPauses,
    close: () => undefined,
  }
  const here = () => new URL(page.history.at(-1)!)
  const location = Object.defineProperties(
    {},
    Object.fromEntries(
      (['href', 'pathname', 'search', 'hash', 'origin'] as const).map((name) => [name, { get: () => here()[name] }]),
    ),
  )
  const history = {
    replaceState: (_: unknown, __: string, to: string) => void (page.history[page.history.length - 1] = resolved(to)),
    pushState: (_: unknown, __: string, to: string) => void page.history.push(resolved(to)),
  }
  const resolved = (to: string) => new URL(to, here()).href
  const { fetch: fetchOutside } = globalThis
  const fetch = async (to: URL | string | Request, init: RequestInit = {}): Promise<Response> => {
    // Whatever else runs in the process asks its own servers.
    if (!(to instanceof URL) || to.origin !== here().origin) return fetchOutside(to, init)
    const { method = 'GET', body, headers } = init
    const request = {
      operation: `${method} ${to.pathname}`,
      body: typeof body === 'string' ? (JSON.parse(body) as unknown) : undefined,
      headers: new Headers(headers),
      from: here().href,
    }
    page.requests.push(request)
    const reply = page.api(request)
    return Response.json(reply.body, { status: reply.status ?? 200, ...(reply.headers && { headers: reply.headers }) })
  }
  const restore = replaceGlobals({
    location,
    history,
    fetch,
    sessionStorage: page.sessionStorage,
    localStorage: page.localStorage,
    addEventListener: listeners.addEventListener.bind(listeners),
    removeEventListener: listeners.removeEventListener.bind(listeners),
    dispatchEvent: listeners.dispatchEvent.bind(listeners),
    document: listeners,
    PopStateEvent: Event,
  })
  page.close = restore
  return page
}

/** Only the timers of the console: the process has others, of what earlier files left running. */
function skipPauses(pauses: number[]): () => void {
  const { setTimeout } = globalThis
  const atOnce = (then: () => void, ms?: number, ...given: []) => {
    const caller = new Error('to see who calls').stack?.split('\n')[2]
    // Without a length it is no pause: the rest of the task is waited for.
    if (ms === undefined || !caller?.includes(consoleModules)) return setTimeout(then, ms, ...given)
    pauses.push(ms)
    return setTimeout(then)
  }
  return replaceGlobals({ setTimeout: Object.assign(atOnce, setTimeout) })
}

/** Sets globals; the function that is returned puts those of before back. */
function replaceGlobals(values: Readonly<Record<string, unknown>>): () => void {
  const before = Object.keys(values).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const)
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor)
      else Reflect.deleteProperty(globalThis, name)
    }
  }
}
