import { expect } from 'chai'
import { Registry } from 'prom-client'
import { measureQueues, measureStores } from '#config/state/store-metric.ts'
import { tenant, testProduct } from '#test/harness/product.ts'

describe('metrics of the stores', () => {
  const valueOf = async (registry: Registry, name: string) =>
    (await registry.getSingleMetric(name)!.get()).values.map(({ value }) => value)

  it('are the parts of ClickHouse and the bytes of the streams', async () => {
    const { connections } = await testProduct()
    const { orgId } = await tenant()
    const row = { org_id: orgId, resource_uid: 'u', metric: 'cpu_percent', ts: '2026-01-01 00:00:00.000', value: 1 }
    await connections.clickhouse.insert({ table: 'metric_sample', values: [row], format: 'JSONEachRow' })
    await connections.log.publish({ subject: `ingest.resource.${orgId}.acct`, id: 'm', body: '{}' })
    const registry = new Registry()
    measureStores(registry, connections)
    const [parts] = await valueOf(registry, 'tidemark_clickhouse_parts')
    const [fullest] = await valueOf(registry, 'tidemark_clickhouse_partition_parts')
    expect(parts).to.be.at.least(1)
    expect(fullest).to.be.within(1, parts!)
    expect(await valueOf(registry, 'tidemark_nats_storage_bytes')).to.satisfy(([bytes]: number[]) => bytes! > 0)
  })

  it('are the ages of the oldest messages by lane: from a lane’s cursor on, 0 if there is none', async () => {
    const registry = new Registry()
    const cursors = [
      { lane: 0, cursor: '4' },
      { lane: 1, cursor: '9' },
    ]
    const asked: unknown[] = []
    measureQueues(registry, {
      settings: { lanes: 2 } as never,
      store: { rows: async () => cursors as never },
      log: {
        oldestBehind: async (...given: unknown[]) => {
          asked.push(given)
          return given[0] === 1 ? Date.now() - 90_000 : undefined
        },
      } as never,
    })
    const [none, old] = await valueOf(registry, 'tidemark_lane_oldest_seconds')
    expect(asked).to.deep.equal([
      [0, 4, '*'],
      [1, 9, '*'],
    ])
    expect(none).to.equal(0)
    expect(old).to.be.at.least(90)
  })
})
