/** A product on three ClickHouse servers of its own: `main`, `a` and `b`. */
import path from 'node:path'
import { startClickHouse, type StartedClickHouse } from '#config/embedded/clickhouse/clickhouse.ts'
import { startProduct, type Running } from '#config/product/product.ts'
import { readSettings } from '#config/settings/settings.ts'
import { placing } from '#http/identity/organization/place.ts'
import { createOrganization } from '#http/identity/organization/organization.ts'
import { tenantIn, type Tenant } from '#test/harness/product.ts'
import { startTestStores, testFolder, testLanes } from '#test/harness/stores.ts'

export interface ShardedWorld {
  running: Running
  /** The settings with which another process uses the same stores. */
  environment: Readonly<Record<string, string>>
  /** An organization where the product puts it. */
  found(name: string): Promise<Tenant>
  /** Rows of an organization in a table, by server. */
  rows(orgId: string, table?: string): Promise<Record<string, number>>
  servers: Readonly<Record<'a' | 'b', StartedClickHouse>>
  stop(): Promise<void>
}

const memoryBytes = 1_000_000_000
const quiet = { info: () => {}, warn: () => {}, error: () => {} }

export async function shardedWorld(): Promise<ShardedWorld> {
  const folder = testFolder()
  const start = (name: string) =>
    startClickHouse(path.join(folder, `clickhouse-${name}`), { log: () => {}, memoryBytes })
  const [stores, a, b] = await Promise.all([startTestStores(), start('a'), start('b')])
  const servers = { a, b }
  const environment = {
    TIDEMARK_LANES: String(testLanes),
    TIDEMARK_TEST_HOOKS: '1',
    TIDEMARK_DEMO: '0',
    RATE_LIMIT: '0',
    LOG_LEVEL: 'silent',
    PORT: '0',
    CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'),
    CLICKHOUSE_SHARDS: `a=${a.url},b=${b.url}`,
  }
  const settings = readSettings({ ...environment, TIDEMARK_DATA_DIR: folder })
  const running = await startProduct(settings, quiet, Promise.resolve(stores))
  const { connections, product, url = '' } = running
  return {
    running,
    environment: {
      ...environment,
      POSTGRES_URL: stores.postgres.url,
      NATS_URL: stores.nats.url,
      CLICKHOUSE_URL: `${stores.clickhouse.url}/${stores.clickhouse.database}`,
    },
    servers,
    async found(name) {
      const { id } = await createOrganization(connections.orm.em.fork(), name, { place: placing(connections) })
      return tenantIn({ connections, product, url }, id)
    },
    async rows(orgId, table = 'cost_fact') {
      const column = table === 'cost_fact' ? 'x_OrgId' : 'org_id'
      const found = await connections.shards.each(async (shard) => {
        const result = await shard.client.query({
          query: `SELECT toUInt32(count()) AS n FROM ${table} FINAL WHERE ${column} = {org:String}`,
          query_params: { org: orgId },
          format: 'JSONEachRow',
        })
        return [shard.name, (await result.json<{ n: number }>())[0]!.n] as const
      })
      return Object.fromEntries(found.filter(([, n]) => n > 0))
    },
    async stop() {
      await running.stop()
      await Promise.all(Object.values(servers).map((server) => server.stop()))
    },
  }
}
