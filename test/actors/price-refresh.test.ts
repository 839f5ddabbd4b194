/** Prices that a cloud publishes, read into the table for all organizations. */
import { expect } from 'chai'
import { refreshPrices } from '#actors/recommendation/reference/book/refresh.ts'
import { ReferenceCache, type Ask } from '#actors/recommendation/reference/book/reference-cache.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import type { ListPrice } from '#streams/cloud/reference/list-price.ts'
import { fedConnector } from '#streams/cloud/passive-connector.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { ownClouds, tenant, type Tenant } from '#test/harness/product.ts'
import { priced } from '#test/harness/reference.ts'

/** Regions of this test alone: the table is everybody's. */
const [north, south] = ['eu-test-8', 'eu-test-9']
const start = Date.parse('2026-11-23T10:00:00Z')
const dayMs = 86_400_000

describe('refreshing prices', () => {
  let org: Tenant
  let asked: string[]
  let published: Record<string, number>

  const prices = async function* (_: unknown, regions: readonly string[]): AsyncGenerator<ListPrice[]> {
    for (const region of regions) {
      asked.push(region)
      const value = published[region]
      if (value === undefined) throw cloudFault('user_action', 'permission_missing', 'Prices may not be read.')
      yield [
        { kind: 'ec2', region, name: 'm5.large', field: 'usd_hour', value, effectiveOn: '2026-11-01' },
        { kind: 'commitment', region, name: 'aws-rds-reserved/db.m5.large', field: '1yr_no_upfront', value: 0.7 },
      ]
      yield []
    }
  }

  function refresh(at: number, isForced = false) {
    const { product, connections } = org
    const tools = {
      reads: product.get(tokens.reads),
      em: () => connections.orm.em.fork(),
      open: product.get(tokens.seal).open,
      cloudOf: product.get(tokens.clouds).of,
      now: () => new Date(at),
    }
    asked = []
    return refreshPrices(tools, org.orgId, { isForced })
  }

  const ask: Ask = async (sql, params) => org.connections.store.rows(sql, [...params])
  const priceNow = async (region: string) => {
    const tables = await new ReferenceCache().current(ask)
    return tables.at({ now: new Date(start), families: [] }).price(priced('aws-ec2', 'm5.large', {}, region), undefined)
  }

  before(async () => {
    org = await tenant()
    ownClouds.set('prices-1', { ...fedConnector(), prices })
    const { body } = await org.send('POST', '/cloud-accounts', { name: 'P', provider: 'aws', externalID: 'prices-1' })
    const cloudAccountId = body.data.id
    const machine = (region: string) => ({
      resourceUid: `i-${region}`,
      name: 'web',
      type: 'aws-ec2',
      provider: 'aws' as const,
      cloudAccountId,
      region,
      status: 'running' as const,
    })
    await org.publish(resourceDiscovered, [machine(north), machine(south)])
  })

  after(async () => {
    ownClouds.clear()
    await org.connections.store.rows('delete from refreshed_price where region = any($1)', [[north, south]])
  })

  it('reads those of each region with resources, and not again for six days', async () => {
    published = { [north]: 0.1, [south]: 0.12 }
    expect(await refresh(start)).to.deep.equal([{ provider: 'aws', regions: [north, south], values: 4 }])
    expect([await priceNow(north), await priceNow(south)]).to.deep.equal([0.1, 0.12])
    expect(await refresh(start + 5 * dayMs)).to.deep.equal([{ provider: 'aws', regions: [], values: 0 }])
    published = { [north]: 0.11, [south]: 0.12 }
    expect(await refresh(start + 7 * dayMs)).to.deep.equal([{ provider: 'aws', regions: [north, south], values: 4 }])
    expect(await priceNow(north)).to.equal(0.11)
    const days = await org.connections.store.rows<{ kind: string; on: string }>(
      'select kind, effective_on::text as "on" from refreshed_price where region = $1 order by kind',
      [north],
    )
    // A rate without a day of its own keeps the day it was first read.
    expect(days).to.deep.equal([
      { kind: 'commitment', on: '2026-11-23' },
      { kind: 'ec2', on: '2026-11-01' },
    ])
  })

  it('keeps the former prices of what may not be read, and says so', async () => {
    published = { [north]: 0.2 }
    expect(await refresh(start + 8 * dayMs, true)).to.deep.equal([
      { provider: 'aws', regions: [north], values: 2, failure: 'Prices may not be read.' },
    ])
    expect(asked).to.deep.equal([north, south])
    expect([await priceNow(north), await priceNow(south)]).to.deep.equal([0.2, 0.12])
  })
})
