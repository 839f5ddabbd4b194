/** The edge of all routes in memory, without sockets and stores: shows what its decoders refuse and what they take. */
import { AsyncLocalStorage } from 'node:async_hooks'
import inject from 'light-my-request'
import { edge, type RequestScope } from '#http/edge/edge.ts'
import type { Services } from '#http/edge/services.ts'
import { routes } from '#http/index.ts'
import { caller } from '#test/http/serving.ts'

const now = new Date('2026-06-15T12:00:00Z')

/** Called when a request reaches a store. */
const reached = new AsyncLocalStorage<() => void>()

/** Any member of any service. The first call of one ends the request: whatever waits for its result waits forever. */
const store: unknown = new Proxy(() => undefined, {
  get: (_, name) => (name === 'then' ? () => reached.getStore()?.() : store),
  apply: () => {
    reached.getStore()?.()
    return store
  },
})
const settings = { reportCost: 'billed', reportSavings: 'reported', egressCidrs: [], publicUrl: 'http://localhost' }
const stores: readonly Exclude<keyof Services, 'now' | 'settings' | 'hooks'>[] = [
  ...([
    'em',
    'analytics',
    'sums',
    'counting',
    'keptFrom',
    'stream',
    'texts',
    'ask',
    'change',
    'publish',
    'newId',
    'listen',
  ] as const),
  ...(['lag', 'identity', 'externalIds', 'awsPrincipal', 'cloudOf', 'seal', 'open', 'channels', 'webhooks'] as const),
  ...(['publicUrl', 'linkSecrets', 'exports', 'bills', 'source', 'actingFor'] as const),
]
const services = {
  ...Object.fromEntries(stores.map((name) => [name, store])),
  now: () => now,
  settings,
} as unknown as Services

const kinds: Readonly<Record<string, 'session' | 'internal'>> = { session: 'session', internal: 'internal' }
/** Every caller owns the organization, and comes as the route demands. */
const scope: RequestScope = {
  caller: async (_, { permission }) => ({ ...caller(), kind: kinds[permission] ?? 'pat' }),
  services: () => services,
}

export interface MemoryAnswer {
  /** 0: the request was taken and reached a store. */
  status: number
  /** The members of a problem document. */
  body: any
  headers: Readonly<Record<string, unknown>>
}

export type MemoryEdge = (
  method: string,
  url: string,
  body?: string | Buffer,
  headers?: Readonly<Record<string, string>>,
) => Promise<MemoryAnswer>

/** Whether the decoders took a request. */
export const isTaken = ({ status }: MemoryAnswer): boolean => status === 0 || (status >= 200 && status < 400)

/** @throws Error when a route answers 500 */
export function memoryEdge(): MemoryEdge {
  const defects: unknown[] = []
  const log = { info: () => {}, warn: () => {}, error: ({ err }: { err: unknown }) => defects.push(err) }
  const serve = edge(routes, scope, { log: log as never }).callback()
  const answerOf = async (...[method, url, body, headers]: Parameters<MemoryEdge>): Promise<MemoryAnswer> => {
    const answer = await inject(serve as never, {
      method: method as 'GET',
      url,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { payload: body }),
    })
    const { statusCode: status, payload: text } = answer
    if (status === 500) throw new Error(`${method} ${url.slice(0, 100)}`, { cause: defects.pop() })
    return { status, body: text.startsWith('{') ? JSON.parse(text) : text, headers: answer.headers }
  }
  return (...given) =>
    new Promise((resolve, reject) => {
      const done = () => resolve({ status: 0, body: undefined, headers: {} })
      void reached.run(done, () => answerOf(...given).then(resolve, reject))
    })
}
