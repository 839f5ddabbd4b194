/** An edge on the stores of a chaos world. It runs in this process: nothing kills it, and a process of its own takes as long to start as an engine. */
import { readSettings } from '#config/settings/settings.ts'
import { startProduct } from '#config/product/product.ts'
import { createOrganization } from '#http/identity/organization/organization.ts'
import { createToken } from '#http/identity/token/pat.ts'
import type { ChaosWorld } from '#test/harness/chaos.ts'
import { answerOf, type Answer } from '#test/harness/product.ts'
import { testFolder, testLanes } from '#test/harness/stores.ts'

/** An organization of the world, its owner's token, and requests with it. */
export interface EdgeOrg {
  orgId: string
  send: <T = any>(method: string, to: string, body?: unknown) => Promise<Answer<T>>
  get: <T = any>(to: string) => Promise<Answer<T>>
}

export interface ChaosEdge {
  url: string
  org(name: string): Promise<EdgeOrg>
  end(): Promise<void>
}

const quiet = { info: () => {}, warn: () => {}, error: () => {} }

/** Starts it. `settings` are those of the engines of the world too. */
export async function chaosEdge(world: ChaosWorld, settings: Readonly<Record<string, string>>): Promise<ChaosEdge> {
  const { postgres, nats, clickhouse } = world.stores
  const own = readSettings({
    ...settings,
    TIDEMARK_DATA_DIR: testFolder(),
    TIDEMARK_ROLE: 'edge',
    TIDEMARK_LANES: String(testLanes),
    RATE_LIMIT: '0',
    INBOUND_RATE_LIMIT: '0',
    LOG_LEVEL: 'silent',
    PORT: '0',
  })
  // To an edge the stores are those of somebody else: it does not end them, and its users are theirs.
  const stores = {
    postgres: { ...postgres, embedded: false },
    nats: { url: nats.url, embedded: false, pid: () => undefined },
    clickhouse: { ...clickhouse, embedded: false },
    publish: () => {},
    stop: async () => {},
  }
  const product = await startProduct(own, quiet, Promise.resolve(stores))
  const { connections, url = '' } = product
  return {
    url,
    async org(name) {
      const em = () => connections.orm.em.fork()
      const { id: orgId } = await createOrganization(em(), name)
      const { secret } = await createToken(em(), orgId, { role: 'owner', scope: 'api', name: 'test' })
      const send = async <T>(method: string, to: string, body?: unknown) => {
        const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' }
        const text = body === undefined ? {} : { body: JSON.stringify(body) }
        return answerOf<T>(await fetch(url + to, { method, headers, ...text }))
      }
      return { orgId, send, get: (to) => send('GET', to) }
    },
    end: () => product.stop(),
  }
}
