/** What the edge asks PostgreSQL for a request: heard in this process, where the edge is served beside the one that is measured. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import pg from 'pg'
import type { Asked } from './bare-store-server.ts'

type Query = (this: pg.Client, ...given: unknown[]) => unknown

export interface Hearing {
  url: string
  /** The statements of the work's requests, without those that choose whose rows are seen. */
  heard<T>(work: () => Promise<T>): Promise<[T, Asked[]]>
  close(): Promise<void>
}

const within = new AsyncLocalStorage<true>()
/** Whose requests are listened to, and what they have asked since `heard` began. */
let listening = ''
let asked: Asked[] = []

// Before any connection is made: what prepares statements on one keeps the query that it found.
const client = pg.Client.prototype as unknown as { query: Query }
const query = client.query
client.query = function (...given) {
  const [first, second] = given
  const text = typeof first === 'string' ? first : (first as { text?: string }).text
  const values = Array.isArray(second) ? second : (first as { values?: unknown[] }).values
  // Those of several requests may be asked by the first of them.
  const isOurs = within.getStore() ?? (listening !== '' && values?.[0] === listening)
  if (isOurs && text !== undefined && !text.startsWith('select set_config')) asked.push({ text, values: values ?? [] })
  return query.apply(this, given)
}

export async function hearing(edge: RequestListener, orgId: string): Promise<Hearing> {
  listening = orgId
  const server = createServer((request, response) => within.run(true, () => edge(request, response)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async heard(work) {
      asked = []
      return [await work(), asked]
    },
    async close() {
      listening = ''
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
