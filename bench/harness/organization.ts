/** One organization of many resources in a product that runs here: asked by HTTP, and waited for. */
import { randomUUID } from 'node:crypto'
import { jetstreamManager } from '@nats-io/jetstream'
import { createOrganization } from '#http/identity/organization/organization.ts'
import { createToken } from '#http/identity/token/pat.ts'
import { serve } from '#http/edge/serve.ts'
import type { Connections } from '#config/state/connect.ts'
import { tokens, type Product } from '#config/wiring/tokens.ts'
import type { Stage } from './stage.ts'

export interface Organization {
  orgId: string
  connections: Connections
  product: Product
  /** `data` of the answer. @throws Error for one of 300 or above */
  send: (method: 'POST' | 'PUT', path: string, body?: object) => Promise<Record<string, unknown>>
  get: (path: string) => Promise<Record<string, unknown>>
  /** Resolves once every lane has committed all that stands in it, and no projection has anything to do. */
  settled: () => Promise<void>
  end: () => Promise<void>
}

/** The engine is not started. */
export async function organizationOf(set: Stage): Promise<Organization> {
  const { connections: c, product, end } = await set.product()
  const serving = await serve(product.get(tokens.edge), { port: 0, host: '127.0.0.1' })
  const { id: orgId } = await createOrganization(c.orm.em.fork(), `bench ${randomUUID()}`)
  const { secret } = await createToken(c.orm.em.fork(), orgId, { role: 'owner', name: 'bench' })
  const answered = async (path: string, request: RequestInit) => {
    const response = await fetch(serving.url + path, request)
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${text}`)
    return (JSON.parse(text) as { data: Record<string, unknown> }).data
  }
  const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' }
  return {
    orgId,
    connections: c,
    product,
    send: (method, path, body = {}) => answered(path, { method, headers, body: JSON.stringify(body) }),
    get: (path) => answered(path, { headers }),
    async settled() {
      while ((await isBehind(c)) || (await isMarked(c, orgId)) || (await isBehind(c))) await c.clock.sleep(20)
    },
    async end() {
      await serving.close()
      await end()
    },
  }
}

const isMarked = async ({ store }: Connections, orgId: string): Promise<boolean> =>
  (await store.pool.query('select from mark where org_id = $1 limit 1', [orgId])).rowCount !== 0

/** Whether a lane has messages, or is to get some. */
async function isBehind({ store, nats }: Connections): Promise<boolean> {
  const manager = await jetstreamManager(nats)
  if ((await store.pool.query('select from outbox limit 1')).rowCount !== 0) return true
  const { rows } = await store.pool.query<{ lane: number; cursor: string }>('select lane, cursor from lane')
  const ends = await Promise.all(rows.map(({ lane }) => manager.streams.info(`LANE-${lane}`)))
  return rows.some(({ cursor }, i) => Number(cursor) < ends[i]!.state.last_seq)
}
